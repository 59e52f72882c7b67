/**
 * Which call a piece of a call belongs to. `index` alone does not tell: some servers give none, all zero, or start at one; ids come late,
 * empty or again; names are repeated.
 *
 * 1. A known id belongs to its call, unless it begins another: a name and fresh arguments after whole ones.
 * 2. A new id starts a call, even at an index in use, unless the call at that index has no id yet.
 * 3. Without an id: the call at the index, or the last one where there is no index; a name starts a call if that one has another name, or the
 *    same name and whole arguments. A name alone that is merely repeated starts none until arguments follow it.
 */
import { isObject, parseJson, type JsonObject } from "../../std/json.ts"

export type CallPiece = { readonly index?: number; readonly id: string; readonly name: string; readonly args: string }

/** `again`: its name came once more after whole arguments; the next arguments are another call's. */
type Joined = { index: number | undefined; id: string; name: string; args: string; again: boolean }

/** `args` is what to append; empty where the piece repeated what was there. */
export type Placed = { readonly call: number; readonly isNew: boolean; readonly args: string }

function isWhole(text: string): boolean {
  return isObject(parseJson(text))
}

/** One element of `delta.tool_calls` (or `function_call`); empty and null ids and names are not given, and neither is the text "null". */
export function readPiece(value: JsonObject): CallPiece {
  const named = isObject(value.function) ? value.function : value
  const given = (text: unknown): string => (typeof text === "string" && text !== "null" ? text : "")
  const raw = named.arguments
  const args = typeof raw === "string" ? raw : raw === null || raw === undefined ? "" : JSON.stringify(raw)
  const piece = { id: given(value.id), name: given(named.name), args }
  return typeof value.index === "number" ? { ...piece, index: value.index } : piece
}

export class CallJoiner {
  readonly #calls: Joined[] = []

  add(piece: CallPiece): Placed {
    const place = this.#placeOf(piece)
    if (place === undefined) {
      this.#calls.push({
        index: piece.index,
        id: piece.id,
        name: piece.name || this.#repeatedName(piece),
        args: piece.args,
        again: false,
      })
      return { call: this.#calls.length - 1, isNew: true, args: piece.args }
    }
    const call = this.#calls[place]
    if (call === undefined) return { call: place, isNew: false, args: "" }
    if (piece.name !== "" && piece.id === "" && piece.args === "" && isWhole(call.args)) call.again = true
    if (call.id === "") call.id = piece.id
    if (call.name === "") call.name = piece.name
    const repeated = piece.args !== "" && piece.args === call.args && isWhole(piece.args)
    const args = repeated ? "" : piece.args
    call.args += args
    return { call: place, isNew: false, args }
  }

  nameOf(call: number): string {
    return this.#calls[call]?.name ?? ""
  }

  #placeOf(piece: CallPiece): number | undefined {
    const known = piece.id === "" ? -1 : this.#calls.findLastIndex((call) => call.id === piece.id)
    if (known >= 0) return this.#begins(this.#calls[known], piece) ? undefined : known
    const at = this.#current(piece.index)
    const current = this.#calls[at]
    if (current === undefined) return undefined
    if (piece.id !== "")
      return current.id === "" && piece.index !== undefined && !this.#begins(current, piece) ? at : undefined
    if (piece.name === "" && current.again && piece.args.trim() !== "") return undefined
    if (piece.name === "" || current.name === "") return at
    if (piece.name !== current.name) return undefined
    return this.#begins(current, piece) ? undefined : at
  }

  #repeatedName(piece: CallPiece): string {
    const call = this.#calls[this.#current(piece.index)]
    return call?.again === true ? call.name : ""
  }

  #current(index: number | undefined): number {
    if (index === undefined) return this.#calls.length - 1
    return this.#calls.findLastIndex((call) => call.index === index)
  }

  /** Whether a named piece is another call and not more of `call`: that one is whole, and the piece does not just repeat it. */
  #begins(call: Joined | undefined, piece: CallPiece): boolean {
    if (call === undefined || piece.name === "" || piece.args.trim() === "" || piece.args === call.args) return false
    return isWhole(call.args)
  }
}
