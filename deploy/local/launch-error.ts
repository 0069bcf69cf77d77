/** Thrown when Tidemark cannot be started. The code is for scripts, and the message states the remedy. */
const codes = {
  BINARY_UNAVAILABLE: 'a server could not be downloaded',
  SERVER_FAILED: 'a server did not come up',
  PREPARE_FAILED: 'the database or the streams could not be prepared',
  SETTINGS_BAD: 'settings are missing or wrong',
  ALREADY_RUNNING: 'another instance uses this data folder',
  PORT_TAKEN: 'the port is taken',
  DISK_SMALL: 'the disk has too little free space',
  NOT_READY: 'the services did not become ready',
  CALL_FAILED: 'a request to the running instance failed',
} as const

export type LaunchCode = keyof typeof codes

export class LaunchError extends Error {
  override readonly name = 'LaunchError'
  readonly code: LaunchCode

  constructor(code: LaunchCode, advice: string, cause?: unknown) {
    super(`${codes[code]}: ${advice}`, { cause })
    this.code = code
  }
}
