/**
 * The table of commands: every name that a keymap may use and that the palette shows, with the sentence that explains it.
 *
 * - A name is `<group>.<verb>`; the screen implements each, and says whether it applied. Extensions add names of their own at run time.
 * - `args` names what the command takes in a keymap's `{"run", "args"}`.
 */
export type CommandInfo = {
  readonly title: string
  /** What `args` may hold, for help; absent where the command takes none. */
  readonly args?: string
  /** Editing and list motions are bound to keys and left out of the palette. */
  readonly hidden?: true
}

const command = (title: string, args?: string): CommandInfo => (args === undefined ? { title } : { title, args })
const motion = (title: string, args?: string): CommandInfo => ({ ...command(title, args), hidden: true })

export const commandNames = {
  "app.quit": command("Quit; running work goes on in the background unless you say otherwise"),
  "app.interrupt": command("Stop the running turn"),
  "app.clear": command("Clear the editor; pressed again right after, quit"),
  "app.quitEmpty": { title: "Quit, when the editor is empty", hidden: true },
  "app.suspend": command("Suspend to the shell"),
  "app.redraw": command("Draw the whole screen again"),
  "app.palette": command("Open the list of all commands"),
  "app.help": command("Show the keys that work here"),
  "app.detach": command("Close the screen and leave the work running"),
  "app.settings": command("Show settings, their values and where each comes from, and change them"),
  "app.trust": command("Decide what this folder may do"),
  "app.doctor": command("Check what Cairn needs: settings, store, models, programs, terminal"),
  "app.login": command("Store a provider's key", '{"name"?: a provider}'),
  "app.tour": command("Take the tour, which needs no key and no network"),
  "app.logout": command("Forget a provider's key", '{"name"?: a provider}'),
  "app.reload": command("Read config, keymaps, themes, prompts and skills again"),

  "prompt.submit": command("Send the prompt; while a run is going it joins at the next turn"),
  "prompt.followUp": command("Queue the prompt for the next run"),
  "prompt.newline": motion("Begin a new line"),
  "prompt.clear": command("Clear the editor, when it holds something; undo brings it back"),
  "prompt.history.previous": motion("Take the previous prompt from the history"),
  "prompt.history.next": motion("Take the next prompt from the history"),
  "prompt.history.search": command("Find a prompt in the history"),
  "prompt.undo": command("Undo the last change in the editor"),
  "prompt.redo": command("Redo what was undone in the editor"),
  "prompt.external": command("Edit the prompt in your own editor"),
  "prompt.stash": command("Put the draft aside, or take it back"),
  "prompt.complete": motion("Complete a path or a command"),
  "prompt.paste": command("Paste from the clipboard, images included"),
  "prompt.focus": command("Go to the editor"),

  "editor.left": motion("One character left"),
  "editor.right": motion("One character right"),
  "editor.wordLeft": motion("To the start of the word"),
  "editor.wordRight": motion("To the end of the word"),
  "editor.wordStartRight": motion("To the start of the next word"),
  "editor.lineStart": motion("To the start of the line"),
  "editor.lineTextStart": motion("To the first character of the line that is no space"),
  "editor.lineEnd": motion("To the end of the line"),
  "editor.up": motion("One line up"),
  "editor.down": motion("One line down"),
  "editor.start": motion("To the start of the prompt"),
  "editor.end": motion("To the end of the prompt"),
  "editor.jumpForward": motion("To the next occurrence of the character typed next"),
  "editor.jumpBackward": motion("To the previous occurrence of the character typed next"),
  "editor.deleteBack": motion("Delete the character before the cursor"),
  "editor.deleteForward": motion("Delete the character at the cursor"),
  "editor.deleteWordBack": motion("Delete the word before the cursor"),
  "editor.deleteWordForward": motion("Delete the word after the cursor"),
  "editor.deleteToLineStart": motion("Delete to the start of the line"),
  "editor.deleteToLineEnd": motion("Delete to the end of the line"),
  "editor.transpose": motion("Swap the two characters around the cursor"),
  "editor.yank": motion("Put back what was deleted last"),
  "editor.yankPop": motion("Replace what was put back by what was deleted before it"),
  "editor.putAfter": motion("Put what was deleted or copied after the cursor"),
  "editor.putBefore": motion("Put what was deleted or copied before the cursor"),
  "editor.setMark": motion("Begin or end a selection at the cursor"),
  "editor.clearMark": motion("Drop the selection"),
  "editor.select": motion("Select while moving", '{"to": a motion such as "left" or "wordRight"}'),
  "editor.selectAll": motion("Select the whole prompt"),
  "editor.copy": motion("Copy the selection"),
  "editor.cut": motion("Cut the selection"),
  "editor.mode": motion(
    "Change the vim mode",
    '{"to": "normal" | "insert" | "visual" | "visualLine", "at"?: a motion}',
  ),
  "editor.open": motion("Open a line and insert there", '{"where": "below" | "above"}'),
  "editor.operate": motion(
    "Delete, change or copy over a motion or an object",
    '{"do": "delete" | "change" | "copy", "over": a motion, "line", "selection", "innerWord", "aWord", "inner(", …}',
  ),
  "editor.replaceChar": motion("Replace the character at the cursor by the one typed next"),
  "editor.toggleCase": motion("Change the case of the character at the cursor"),
  "editor.joinLines": motion("Join the next line to this one"),

  "scroll.pageUp": command("One page up"),
  "scroll.pageDown": command("One page down"),
  "scroll.halfUp": command("Half a page up"),
  "scroll.halfDown": command("Half a page down"),
  "scroll.lineUp": command("One row up"),
  "scroll.lineDown": command("One row down"),
  "scroll.top": command("To the first message"),
  "scroll.bottom": command("To the newest message, and follow it"),
  "scroll.previousPrompt": command("To the previous prompt"),
  "scroll.nextPrompt": command("To the next prompt"),
  "scroll.previousTurn": command("To the previous response of the model"),
  "scroll.nextTurn": command("To the next response of the model"),
  "scroll.toTime": command("To what was said at a time", '{"name"?: "14:30", "yesterday 9:00", "2026-11-29", "20m"}'),

  "search.open": command("Search this session", '{"direction"?: "back" | "forward", "scope"?: "session" | "all"}'),
  "search.next": command("To the next match"),
  "search.previous": command("To the previous match"),
  "search.close": command("Close the search and go back to where you were"),
  "search.accept": command("Close the search and stay at the match"),
  "search.olderQuery": motion("Search for what was searched for before"),
  "search.newerQuery": motion("Search for what was searched for after that"),
  "search.toggleRegex": command("Search for plain text or for a regular expression"),
  "search.list": command("List what a search finds in this session, its forks and whole outputs"),
  "search.all": command("Search all sessions"),

  "copy.open": command("Select text with the keyboard", '{"by"?: "character" | "line" | "code" | "block"}'),
  "copy.close": motion("Leave keyboard selection"),
  "copy.move": motion("Move in keyboard selection", '{"to": "left", "down", "wordRight", "lineEnd", "blockNext", …}'),
  "copy.mark": motion("Begin or end a selection", '{"by"?: "character" | "line" | "code" | "block"}'),
  "copy.accept": motion("Copy the selection and leave"),
  "copy.swapEnds": motion("Go to the other end of the selection"),

  "panel.next": command("Focus the next panel"),
  "panel.previous": command("Focus the previous panel"),
  "panel.zoom": command("Give the focused panel the whole screen, or take it back"),
  "panel.hide": command("Hide the focused panel"),
  "panel.grow": command("Make the side panels larger"),
  "panel.shrink": command("Make the side panels smaller"),
  "panel.move": command("Move the focused panel to another slot", '{"to": "main" | "side" | "bottom"}'),
  "panel.focusChat": command("Focus the conversation"),
  "panel.toggleTool": command("Show or hide the tool output panel"),
  "panel.togglePlan": command("Show or hide the plan panel"),
  "panel.toggleChanges": command("Show or hide the changes panel"),
  "panel.toggleTree": command("Show or hide the tree of conversations"),
  "panel.toggleTasks": command("Show or hide the tasks panel"),
  "layout.save": command("Write the panels as they stand to the config"),

  "block.fold": command("Fold or unfold the block you are at"),
  "block.foldAll": command("Fold or unfold all tool output"),
  "block.next": command("To the next block"),
  "block.previous": command("To the previous block"),
  "block.open": command("Show the block you are at in the tool output panel"),
  "block.copy": command("Copy the block you are at: a message as it was written"),
  "block.copyCode": command("Copy the code block you are at"),
  "block.copyCommand": command("Copy the command you are at"),
  "block.copyOutput": command("Copy the output you are at"),
  "block.edit": command("Open the block you are at in your own editor"),
  "image.show": command("Look at the images of this conversation"),
  "thinking.toggle": command("Show or hide reasoning"),

  "model.select": command("Choose the model"),
  "model.cycle": command("The next model of `enabledModels`", '{"back"?: true}'),
  "thinking.cycle": command("The next thinking level"),
  "thinking.select": command("Choose the thinking level"),
  "tools.select": command("Choose the tools", '{"name"?: "read,grep"}'),
  "theme.select": command("Choose the theme"),
  "keymap.select": command("Choose the keymap"),
  "session.select": command("Open another session"),
  "session.new": command("Start a new session"),
  "session.name": command("Name this session"),
  "session.tree": command("Go back to a point of this session and fork there"),
  "session.fork": command("Fork at an earlier prompt"),
  "session.clone": command("Go on in a copy of this conversation, as a session of its own"),
  "session.import": command("Open a session file of pi as a session", '{"name"?: a path}'),
  "session.export": command("Write this session to a file"),
  "session.context": command("Show what the model was told, and what that takes of its window"),
  "session.about": command("Show what this session took: tokens, cost and time, by model and tool"),

  "message.copy": command("Copy the last answer"),
  "transcript.pager": command("Read the whole conversation in your pager"),
  "transcript.editor": command("Open the whole conversation in your own editor"),
  "transcript.file": command("Write the whole conversation to a file as text", '{"name"?: a path}'),
  "queue.edit": command("Take the queued prompts back into the editor"),
  "queue.drop": command("Drop the queued prompts"),
  "queue.send": command("Send the queued prompts now"),

  "dialog.up": motion("One row up in a list"),
  "dialog.down": motion("One row down in a list"),
  "dialog.pageUp": motion("One page up in a list"),
  "dialog.pageDown": motion("One page down in a list"),
  "dialog.top": motion("To the first row of a list"),
  "dialog.bottom": motion("To the last row of a list"),
  "dialog.accept": motion("Take the chosen row"),
  "dialog.cancel": motion("Close the dialog"),
  "dialog.complete": motion("Complete from the chosen row"),
  "dialog.save": motion("Take the chosen row and make it the default"),
  "dialog.delete": motion("Delete the chosen row"),
  "dialog.rename": motion("Rename the chosen row"),
  "dialog.tag": motion("Give the chosen row tags"),
  "dialog.archive": motion("Put the chosen row away, or take it back"),
  "dialog.undo": motion("Take back what was done to a row last"),
  "dialog.scope": motion("List more, or less: all folders, or this one"),
  "dialog.sort": motion("List in another order"),
  "dialog.hidden": motion("List what was put away too, or leave it out"),

  "mouse.toggle": command("Turn the mouse on or off"),
  "plan.toggle": command("Tick or untick the item of the plan"),
  "plan.next": motion("To the next item of the plan"),
  "plan.previous": motion("To the previous item of the plan"),
  "plan.nextFile": command("Show the next plan file"),
  "plan.previousFile": command("Show the previous plan file"),
  "plan.choose": command("Open a file as a plan", '{"path"?: a path}'),
  "plan.new": command("Make a new plan file", '{"path"?: a path}'),
  "plan.add": command("Add an item to the plan", '{"text"?: what it says}'),
  "plan.close": command("Close a plan file that was opened"),
  "plan.edit": command("Open the plan file in your own editor"),
  "output.raw": command("Show the call as it was, arguments and bytes, or drawn again"),
  "output.pager": command("Read the output of the call in your pager"),
  "output.older": command("Show the call before the one in the output panel"),
  "output.newer": command("Show the call after the one in the output panel; after the last one, follow the newest"),
  "tasks.stop": command("Stop the run that the chosen task belongs to"),
  "run.undo": command("Take back the last run: its changes to files, what was said, or both"),
  "run.redo": command("Make again what was taken back last"),
  "changes.revert": command("Take back the change you are at"),
  "changes.revertAll": command("Take back all changes of the run that is shown"),
  "changes.edit": command("Open the change you are at in your own editor"),
  "changes.older": command("Show the changes of the run before"),
  "changes.newer": command("Show the changes of the run after"),
  "changes.all": command("Show the changes of the whole conversation, or of one run"),
  compact: command("Summarize the conversation to make room"),
  "retry.now": command("Ask the model again without waiting"),
  "work.resume": command("Go on with work that was interrupted"),
} as const satisfies Record<string, CommandInfo>

export type CommandName = keyof typeof commandNames

export const commandList = Object.keys(commandNames) as readonly CommandName[]

export function commandInfo(name: CommandName): CommandInfo {
  return commandNames[name]
}

/** Where keys can mean something, innermost first where several hold at once. Side panels have `panel.<id>`, and `panel` for all. */
export const contextNames = {
  complete: "the completion popup is open",
  dialog: "a dialog, a picker or the palette is open",
  search: "the search line is open",
  copy: "text is being selected with the keyboard",
  scrollback: "the conversation has the focus instead of the editor",
  panel: "any side panel has the focus",
  "panel.tool": "the tool output panel has the focus",
  "panel.plan": "the plan panel has the focus",
  "panel.changes": "the changes panel has the focus",
  "panel.tree": "the tree panel has the focus",
  "panel.tasks": "the tasks panel has the focus",
  "editor.normal": "the editor is in vim's normal mode",
  "editor.visual": "the editor is in vim's visual mode",
  "editor.insert": "the editor is in vim's insert mode",
  editor: "the editor has the focus",
  global: "everywhere",
} as const satisfies Record<string, string>

/** Contexts that come before a pending sequence. */
export const overlayContexts: ReadonlySet<string> = new Set(["complete", "dialog"])

/** Known by name, or a panel that an extension brings. */
export function isContext(name: string): boolean {
  return Object.hasOwn(contextNames, name) || /^panel\.[A-Za-z][\w-]*$/.test(name)
}
