/** Reads the command-line options that change the caps of a project or of a key. */

import type { CapName } from '@tidemark/contracts/limits'
import type { CapChanges } from '@tidemark/contracts/rpc/accounts'
import { AdminError } from './admin-error.ts'

const named = {
  'pages-per-day': 'pagesPerDay',
  'pages-per-month': 'pagesPerMonth',
  'cloud-per-day': 'cloudPagesPerDay',
} as const satisfies Record<string, CapName>

type Option = keyof typeof named

export const capUsage = Object.keys(named)
  .map(option => `[--${option} N|none|default]`)
  .join(' ')

/** Options of `parseArgs`. */
export const capOptions = {
  'pages-per-day': { type: 'string' },
  'pages-per-month': { type: 'string' },
  'cloud-per-day': { type: 'string' },
} as const satisfies Record<Option, { type: 'string' }>

/** Returns the changes; undefined: no option was set. Throws AdminError for a value that is not a number of pages. */
export function readCaps(
  given: { [option in Option]?: string | undefined },
  usage: string,
): CapChanges | undefined {
  const changes: CapChanges = {}
  for (const [option, name] of Object.entries(named) as [Option, CapName][]) {
    const text = given[option]
    if (text !== undefined) changes[name] = readCap(option, text, usage)
  }
  return Object.keys(changes).length > 0 ? changes : undefined
}

function readCap(option: Option, text: string, usage: string): number | null | 'default' {
  if (text === 'none') return null
  if (text === 'default') return 'default'
  if (/^\d{1,12}$/.test(text)) return Number(text)
  throw new AdminError(`--${option} is a number of pages, "none" or "default".\n  ${usage}`, 2)
}
