/** What a session remembers of its folder beside the path, so that it is found again where the folder is moved or cloned. */
import { folderNow, identifyFolder, workTreeOf, type FolderIdentity } from "../home/folder.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { SessionDocument } from "../protocol/records.ts"
import type { Clock } from "../std/clock.ts"
import type { Json } from "../std/json.ts"

function documentOf(ledger: Ledger): SessionDocument | undefined {
  return ledger.live.document(0, "session")?.value as SessionDocument | undefined
}

function remember(ledger: Ledger, { device, inode, repository }: FolderIdentity): void {
  const document = documentOf(ledger)
  if (document === undefined) return
  const next: SessionDocument = { ...document, identity: { device, inode, repository } }
  ledger.commit("relaxed", (tx) => tx.setDocument(0, "session", next as Json, 1))
}

/** For a new session: what the file system tells. */
export function rememberFolder(ledger: Ledger, folder: string): void {
  remember(ledger, folderNow(folder))
}

/** Its place in a repository, where there is one and it is not known yet. Asks git: for when nothing else is to be done. */
export async function rememberRepository(ledger: Ledger, clock: Clock): Promise<void> {
  const document = documentOf(ledger)
  const known = document?.identity?.repository ?? null
  if (document === undefined || known !== null || workTreeOf(document.folder) === undefined) return
  const identity = await identifyFolder(document.folder, clock)
  if (identity.repository !== null && ledger.health().state === "ok") remember(ledger, identity)
}
