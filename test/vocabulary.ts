/**
 * Writes `clients/mcp/answers/vocabulary.json` from the vocabularies of two tokenizers: the entries that both have,
 * most common first, and for other alphabets the entries of the newer one. A test compares the file with the result.
 */
import { writeFileSync } from 'node:fs'
import older from 'gpt-tokenizer/bpeRanks/cl100k_base'
import newer from 'gpt-tokenizer/bpeRanks/o200k_base'

const sizes = { letters: 4000, spaced: 8000, other: 3000, punctuation: 300 }

type Ranks = ReadonlyMap<string, number>

/** Returns the rank of each entry. Entries that are not whole characters are bytes, and are left out. */
function ranksOf(entries: readonly (string | readonly number[] | undefined)[]): Ranks {
  return new Map(
    entries.flatMap((entry, rank) => (typeof entry === 'string' ? [[entry, rank] as const] : [])),
  )
}

/** Returns the contents of the file. */
export function vocabulary() {
  const [ranks, olderRanks] = [ranksOf(newer), ranksOf(older)]
  const names = [...ranks.keys()]
  /** Most common first, by the sum of both ranks. */
  const common = (pattern: RegExp, size: number) =>
    names
      .filter(name => pattern.test(name) && olderRanks.has(name))
      .sort((a, b) => rankOf(a) - rankOf(b))
      .slice(0, size)
  const rankOf = (name: string) => (ranks.get(name) ?? 0) + (olderRanks.get(name) ?? 0)
  const others = (pattern: RegExp) =>
    names.filter(name => pattern.test(name) && !/[ -~]{2}/.test(name)).slice(0, sizes.other)
  return {
    letters: [...common(/^[A-Za-z]{2,}$/, sizes.letters), ...others(/^[\p{L}\p{M}]{2,}$/u)].join(' '),
    spaced: [...common(/^ [A-Za-z]{2,}$/, sizes.spaced), ...others(/^ [\p{L}\p{M}]+$/u)]
      .map(name => name.slice(1))
      .join(' '),
    punctuation: common(/^[!-/:-@[-`{-~]{2,4}$/, sizes.punctuation).join(' '),
    characters: names.filter(name => name.length === 1 && name > '\x7f').join(''),
  }
}

if (import.meta.main)
  writeFileSync(
    new URL('../clients/mcp/answers/vocabulary.json', import.meta.url),
    `${JSON.stringify(vocabulary(), null, 2)}\n`,
  )
