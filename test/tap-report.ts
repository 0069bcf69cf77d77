/**
 * Reads TAP as it comes and tells it by file: one line for a file that passed, every failed assertion
 * in full for one that did not. It counts tests, not assertions: a test with tests inside is counted
 * by those, and itself only if something of its own failed.
 */
export type Tally = { passed: number; failed: number; skipped: number }
export type TapReport = { read(line: string): void; tally(): Tally }

/** What is known of an open test: tests inside, its own failed assertions, failed tests counted inside. */
type Level = { tests: number; failures: number; counted: number }
type Point = { isOk: boolean; name: string; skip: string | undefined; time: string | undefined }

export function tapReport(print: (line: string) => void): TapReport {
  const total: Tally = { passed: 0, failed: 0, skipped: 0 }
  const levels: Level[] = [newLevel()] // one for each depth
  const names: string[] = []
  let told: string[] | null = null // what to say below the name of the file that is being read
  let detail: { indent: string; isShown: boolean } | null = null
  let isNextShown = false
  return { read, tally: () => ({ ...total }) }

  function read(line: string): void {
    const text = line.trim()
    const indent = line.slice(0, line.length - line.trimStart().length)
    if (detail !== null) {
      if (detail.isShown) say(line)
      if (text === '...' && indent === detail.indent) detail = null
    } else if (text === '---') {
      detail = { indent, isShown: isNextShown }
      isNextShown = false
    } else {
      isNextShown = false
      readPlain(line, text, indent.length / 4)
    }
  }

  function readPlain(line: string, text: string, depth: number): void {
    const point = parsePoint(text)
    if (text.startsWith('# Subtest: ')) open(depth, unescaped(text.slice('# Subtest: '.length)))
    else if (point !== null && levels[depth] !== undefined) take(depth, point, levels[depth])
    else if (!isBookkeeping.test(text)) say(line)
  }

  function say(line: string): void {
    if (told === null) print(line)
    else told.push(line)
  }

  function open(depth: number, name: string): void {
    levels.length = depth + 1
    levels[depth + 1] = newLevel()
    names.length = depth
    names[depth] = name
    if (depth === 0) told = []
  }

  function take(depth: number, point: Point, outer: Level): void {
    const inner = levels[depth + 1]
    levels.length = depth + 1
    const title = [...names.slice(1, depth), point.name].join(' > ')
    const below = told ?? []
    if (depth === 0) {
      told = null
      print(
        `${point.isOk ? 'ok    ' : 'not ok'} ${point.name}${point.time === undefined ? '' : ` (${point.time})`}`,
      )
      for (const line of below) print(line)
    }
    if (point.skip !== undefined) {
      total.skipped++
      say(`  skipped: ${title} (${point.skip || 'no reason given'})`)
    } else if (inner !== undefined) close(inner, point, outer, title)
    else if (!point.isOk) {
      outer.failures++
      tellFailure(title)
    }
  }

  function close(inner: Level, { isOk }: Point, outer: Level, title: string): void {
    outer.tests++
    outer.counted += inner.counted
    if (isOk) {
      if (inner.tests === 0) total.passed++
    } else if (inner.tests === 0 || inner.failures > 0 || inner.counted === 0) {
      total.failed++
      outer.counted++
      if (inner.failures === 0) tellFailure(title)
    }
  }

  function tellFailure(title: string): void {
    say(`  not ok: ${title}`)
    isNextShown = true
  }
}

const newLevel = (): Level => ({ tests: 0, failures: 0, counted: 0 })

const isBookkeeping = /^($|TAP version|\d+\.\.\d+|# (time=|No coverage|\{ total))/

function parsePoint(text: string): Point | null {
  const found = /^(not )?ok \d+(?: - )?(.*)$/.exec(text)
  if (found === null) return null
  const [said = '', ...directives] = (found[2] ?? '').split(/ ?(?=(?<!\\)# (?:SKIP|TODO|time=))/)
  const directive = (pattern: RegExp) =>
    directives.map(text => pattern.exec(text)?.[1]?.trim()).find(value => value !== undefined)
  return {
    isOk: found[1] === undefined,
    name: unescaped(said.trim()),
    skip: directive(/^# (?:SKIP|TODO)(.*)$/),
    time: directive(/^# time=(.*)$/),
  }
}

const unescaped = (name: string) => name.replace(/\\(.)/g, '$1')
