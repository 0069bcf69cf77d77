/** Reads the TAP of one test file, and adds lines about the end of its process as a TAP runner would. */
import { type FailedFile, TapReport } from '../tap-report.ts'
import type { Measurement, Usage } from './measurement.ts'

export type FileResult = {
  measurement: Measurement
  failed: FailedFile[]
  /** Lines to print. */
  lines: string[]
}

/** How the process of a file ended. `code` is 0 for a file whose process continues. */
export type End = {
  code: number | null
  signal: string | null
  seconds: number
  usage: Usage | null
}

export class FileReader {
  readonly #file: string
  readonly #lines: string[] = []
  readonly #report = new TapReport(line => this.#lines.push(line))
  #isEmpty = true
  #hasFailed = false

  constructor(file: string) {
    this.#file = file
    this.#report.read(`# Subtest: ${file}`)
  }

  read(line: string): void {
    this.#isEmpty &&= !/^\s*(?:not )?ok /.test(line)
    this.#hasFailed ||= line.startsWith('not ok ') && !/ # (?:SKIP|TODO)/.test(line)
    this.#report.read(line === '' ? '' : `    ${line}`)
  }

  close({ code, signal, seconds, usage }: End): FileResult {
    for (const line of this.#closingLines(code, signal, seconds)) this.#report.read(line)
    return {
      lines: this.#lines,
      failed: this.#report.failedFiles,
      measurement: {
        file: this.#file,
        seconds: Math.round(seconds * 100) / 100,
        ...this.#report.tally,
        assertions: this.#report.assertions,
        usage,
      },
    }
  }

  #closingLines(code: number | null, signal: string | null, seconds: number): string[] {
    const name = `1 - ${this.#file}`
    const time = `# time=${seconds.toFixed(1)} s`
    if (code === 0 && this.#isEmpty) return [`ok ${name} # SKIP no tests found`]
    if (code === 0) return [`${this.#hasFailed ? 'not ok' : 'ok'} ${name} ${time}`]
    const detail = signal === null ? `exitCode: ${code}` : `signal: ${signal}`
    return [`not ok ${name} ${time}`, '  ---', `  ${detail}`, '  ...']
  }
}
