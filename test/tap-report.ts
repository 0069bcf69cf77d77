/**
 * Reads TAP as it arrives and reports it by file: one line for a file that passed, and every failed assertion in full
 * for a file that failed. It counts tests and not assertions. If a test contains tests, those count. The outer test
 * counts only if one of its own assertions failed.
 */
export type Tally = { passed: number; failed: number; skipped: number }

/** A file with failed tests: its own count, and the lines that were printed below its name. */
export type FailedFile = { file: string; tally: Tally; lines: string[] }

/** The state of an open test: tests inside, its own failed assertions, failed tests counted inside. */
type Level = { tests: number; failures: number; counted: number }
type Point = { isOk: boolean; name: string; skip: string | undefined; time: string | undefined }

export class TapReport {
  readonly tally: Tally = newTally()
  readonly failedFiles: FailedFile[] = []
  /** Number of assertions, passed or failed: the points of tests that are not tests themselves. */
  assertions = 0
  readonly #print: (line: string) => void
  readonly #levels: Level[] = [newLevel()] // one for each depth
  readonly #names: string[] = []
  #below: string[] | null = null // lines to print below the name of the current file
  #file: FailedFile = newFile('') // its report if it fails
  #detail: { indent: string; isShown: boolean } | null = null
  #isNextShown = false

  constructor(print: (line: string) => void) {
    this.#print = print
  }

  read(line: string): void {
    const text = line.trim()
    const indent = line.slice(0, line.length - line.trimStart().length)
    if (this.#detail !== null) {
      if (this.#detail.isShown) this.#say(line)
      if (text === '...' && indent === this.#detail.indent) this.#detail = null
    } else {
      if (text === '---') this.#detail = { indent, isShown: this.#isNextShown }
      this.#isNextShown = false
      if (text !== '---') this.#readPlain(line, text, indent.length / 4)
    }
  }

  #readPlain(line: string, text: string, depth: number): void {
    const point = parsePoint(text)
    const outer = this.#levels[depth]
    if (text.startsWith('# Subtest: ')) this.#open(depth, unescaped(text.slice('# Subtest: '.length)))
    else if (point !== null && outer !== undefined) this.#take(depth, point, outer)
    else if (!isBookkeeping.test(text)) this.#say(line)
  }

  #open(depth: number, name: string): void {
    this.#levels.length = depth + 1
    this.#levels[depth + 1] = newLevel()
    this.#names.length = depth
    this.#names[depth] = name
    if (depth > 0) return
    this.#below = []
    this.#file = newFile(name)
  }

  #take(depth: number, point: Point, outer: Level): void {
    const inner = this.#levels[depth + 1]
    this.#levels.length = depth + 1
    const title = [...this.#names.slice(1, depth), point.name].join(' > ')
    if (depth === 0) this.#closeFile(point)
    else if (inner === undefined) this.assertions++
    if (point.skip !== undefined) {
      this.#count('skipped')
      this.#say(`  skipped: ${title} (${point.skip || 'no reason given'})`)
    } else if (inner !== undefined) {
      this.#close(inner, point, outer, title)
    } else if (!point.isOk) {
      outer.failures++
      this.#printFailure(title)
    }
  }

  #close(inner: Level, { isOk }: Point, outer: Level, title: string): void {
    outer.tests++
    outer.counted += inner.counted
    if (isOk) {
      if (inner.tests === 0) this.#count('passed')
    } else if (inner.tests === 0 || inner.failures > 0 || inner.counted === 0) {
      this.#count('failed')
      outer.counted++
      if (inner.failures === 0) this.#printFailure(title)
    }
  }

  #count(how: keyof Tally): void {
    this.tally[how]++
    this.#file.tally[how]++
  }

  #closeFile({ isOk, name, time }: Point): void {
    const below = this.#below ?? []
    this.#below = null
    this.#print(`${isOk ? 'ok    ' : 'not ok'} ${name}${time === undefined ? '' : ` (${time})`}`)
    for (const line of below) this.#print(line)
    if (!isOk) this.failedFiles.push(this.#file)
  }

  #printFailure(title: string): void {
    this.#say(`  not ok: ${title}`)
    this.#isNextShown = true
  }

  #say(line: string): void {
    this.#file.lines.push(line)
    if (this.#below === null) this.#print(line)
    else this.#below.push(line)
  }
}

const newTally = (): Tally => ({ passed: 0, failed: 0, skipped: 0 })
const newFile = (file: string): FailedFile => ({ file, tally: newTally(), lines: [] })
const newLevel = (): Level => ({ tests: 0, failures: 0, counted: 0 })

const isBookkeeping = /^($|TAP version|\d+\.\.\d+|# (time=|No coverage|\{ total))/

function parsePoint(text: string): Point | null {
  const found = /^(not )?ok \d+(?: - )?(.*)$/.exec(text)
  if (found === null) return null
  const [title = '', ...directives] = (found[2] ?? '').split(/ ?(?=(?<!\\)# (?:SKIP|TODO|time=))/)
  const directive = (pattern: RegExp) =>
    directives.map(text => pattern.exec(text)?.[1]?.trim()).find(value => value !== undefined)
  return {
    isOk: found[1] === undefined,
    name: unescaped(title.trim()),
    skip: directive(/^# (?:SKIP|TODO)(.*)$/),
    time: directive(/^# time=(.*)$/),
  }
}

const unescaped = (name: string) => name.replace(/\\(.)/g, '$1')
