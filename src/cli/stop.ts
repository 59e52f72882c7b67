/** The program ends here, for a reason that a person can do something about: a sentence, and an exit status. */
export class Stop extends Error {
  override readonly name = "Stop"
  readonly code: number
  constructor(sentence: string, code: number) {
    super(sentence)
    this.code = code
  }
}
