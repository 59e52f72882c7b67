/** The images of a conversation: what was given to the model, and what its tools looked at. */
import type { CommandName } from "../../home/command-names.ts"
import type { ImagePart } from "../../message/message.ts"
import type { EntryRecord } from "../../protocol/records.ts"
import { imageSize } from "../../std/image.ts"
import { imageText } from "../blocks/entry-parts.ts"
import { scopeOf } from "../blocks/blocks-of.ts"
import type { ScreenState } from "../state.ts"
import type { Command } from "./stage.ts"

function imagesIn({ data }: EntryRecord): readonly ImagePart[] {
  const content = data.kind === "user" && "content" in data ? data.content : []
  const result = data.kind === "toolResult" && "message" in data ? data.message.content : []
  return [...content, ...result].filter((part): part is ImagePart => part.type === "image")
}

function imagesOf({ view, conversation }: ScreenState): readonly ImagePart[] {
  const scope = scopeOf(view.conversations, conversation)
  return view.entries.filter(({ conversation: own, id }) => id <= (scope.get(own) ?? 0)).flatMap(imagesIn)
}

function about(image: ImagePart): string {
  const size = imageSize(Buffer.from(image.data, "base64"), image.mimeType)
  return [imageText(image), size === null ? "" : `${size.width}×${size.height}`].filter(Boolean).join(", ")
}

const show: Command = {
  off: ({ store }) => (imagesOf(store.state).length === 0 ? "there is no image in this conversation" : null),
  run({ store }) {
    const images = imagesOf(store.state).map((image) => ({ data: image.data, about: about(image) }))
    if (images.length === 0) return false
    store.dispatch({ type: "dialog.open", dialog: { kind: "image", id: "images", title: "Images", images } })
    return true
  },
}

export const imageCommands = { "image.show": show } as const satisfies Partial<Record<CommandName, Command>>
