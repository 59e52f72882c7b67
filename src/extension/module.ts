/** The module `cairn`, as extensions import it: this program's own, whatever lies in the folders around them. */
import { Type } from "@sinclair/typebox"
import { defineTool, errorResult, textResult } from "../tools/tool.ts"
import { extensionApi } from "./extension.ts"

export const extensionModule = { Type, defineTool, errorResult, textResult, extensionApi }
