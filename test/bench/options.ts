/** The command line of the bench. */
import { optionsOf } from '../command-line.ts'
import { type WorkName, works } from './works.ts'

export type Options = {
  /** Works with the pages of each. */
  lines: { work: WorkName; pages: number }[]
  rounds: number
  concurrency: number
  traces: boolean
  save: boolean
}

const names = Object.keys(works) as WorkName[]
/** Crawls of two sizes: the first pages of a fresh process, and a process that is warm. */
const warmCrawlPages = 10_000

/** Prints an error and exits with code 2 when an option is unknown or invalid. */
export function readOptions(): Options {
  const number = (fallback: string) => ({ type: 'string', default: fallback }) as const
  const flag = { type: 'boolean', default: false } as const
  const values = optionsOf({
    ...{ work: { type: 'string', default: 'crawl' }, pages: { type: 'string' } },
    ...{ rounds: number('3'), concurrency: number('64'), all: flag, traces: flag, save: flag },
  })
  const read = (name: 'pages' | 'rounds' | 'concurrency', max: number) => {
    const value = Number(values[name])
    if (Number.isInteger(value) && value >= 1 && value <= max) return value
    return refuse(`--${name} must be a whole number from 1 to ${max}; it is "${values[name]}".`)
  }
  const chosen = values.all ? names : values.work.split(',').map(nameOf)
  const pages = values.pages === undefined ? undefined : read('pages', 100_000)
  const lines = chosen.map(work => ({ work, pages: pages ?? works[work].pages }))
  if (values.all && pages === undefined) lines.push({ work: 'crawl', pages: warmCrawlPages })
  const { traces, save } = values
  return { lines, rounds: read('rounds', 100), concurrency: read('concurrency', 512), traces, save }
}

const nameOf = (name: string): WorkName =>
  names.find(known => known === name) ??
  refuse(`--work must be of ${names.join(', ')}, separated by commas; it is "${name}".`)

function refuse(error: string): never {
  process.stderr.write(`${error}\n`)
  return process.exit(2)
}
