/** Thrown when a command of `npm run admin` fails for a known reason. The message states the remedy. */
export class AdminError extends Error {
  override readonly name = 'AdminError'
  /** 2 if the command line is wrong, 1 for every other failure. */
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.exitCode = exitCode
  }
}
