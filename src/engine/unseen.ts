/** Images that a model cannot see: it is told that they were there, and the person is told that this is all that it knows. */
import type { Tx } from "../ledger/ledger.ts"
import type { Message } from "../message/message.ts"
import { modelName, type Model } from "../providers/model.ts"
import { readDocument, writeDocument } from "./documents.ts"
import { append } from "./entries.ts"

function imagesIn(messages: readonly Message[]): number {
  return messages.reduce(
    (sum, { content }) => sum + content.filter((part: { readonly type: string }) => part.type === "image").length,
    0,
  )
}

/** Tells of images that `model` cannot see: once for each that is new to it. Part of a commit. */
export function tellUnseen(tx: Tx, conversation: number, model: Model, messages: readonly Message[]): void {
  if (model.input.includes("image")) return
  const images = imagesIn(messages)
  const name = modelName(model)
  const told = readDocument(tx.live, conversation, "unseen")
  if (images === 0 || (told?.model === name && told.images >= images)) return
  writeDocument(tx, conversation, "unseen", { model: name, images })
  const what =
    images === 1
      ? "an image was there, and nothing of what it shows"
      : `${images} images were there, and nothing of what they show`
  const text = `${name} takes no images: it is told that ${what}. Choose a model that sees with /model.`
  append(tx, { conversation }, { kind: "notice", level: "warning", code: "images", text })
}
