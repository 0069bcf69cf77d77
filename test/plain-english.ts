/**
 * The words and phrases that documents, comments and texts must not contain, each with the words to use instead. Also
 * finds the texts of a file to check: the prose of a document, the comments and sentences of a source file, and the
 * comments of other files. `node test/plain-english.ts PATH…` prints the faults of files and folders.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

type Banned = { words: RegExp; use: string }

/** Of one sentence. Matches in code, in link targets and in quotations do not count. */
const banned: readonly Banned[] = [
  { words: /\bwho(?:ever|mever)\b/i, use: 'the client, the caller, the tenant' },
  { words: /\b(?:nobody|somebody)\b/i, use: 'no process, no client, a person' },
  { words: /\b(?:for|of|by|from|than|those|one|and) who\b/i, use: 'a noun: clients that …' },
  { words: /\bthat which\b|\b(?:and|or|but|also) of what\b/i, use: 'a noun' },
  { words: /\b(?:told|tells?|telling)\b/i, use: 'send, report, notify, log' },
  { words: /\b(?:hear|hears|heard|hearing)\b/i, use: 'receive' },
  { words: /\bask(?:s|ed|ing)?\b/i, use: 'request, fetch, read' },
  { words: /\bseats?\b/i, use: 'concurrency slots' },
  { words: /\bmanners\b/i, use: 'protocol conventions' },
  { words: /\broom\b/i, use: 'capacity, memory, space' },
  { words: /\bset aside\b/i, use: 'dead-letter' },
  { words: /\bdoom(?:s|ed)?\b/i, use: 'mark for deletion' },
  { words: /\banew\b|\bonce more\b/i, use: 'again, re-read, rebuild, retry' },
  { words: /\b(?:noted|remembered|remembers)\b/i, use: 'record, cache' },
  { words: /\b(?:is|are|was) gone\b/i, use: 'is deleted, has ended' },
  { words: /\b(?:is|are) none\b/i, use: 'is not a …, is invalid' },
  { words: /\breads only\b|\blooks? at\b/i, use: 'scan, inspect, check' },
  { words: /\bthe way to (?:a|the|its) host\b/i, use: 'connection latency' },
  { words: /\bpaces?\b/i, use: 'rate limit, crawl delay' },
  { words: /\b(?:unseen|pageless)\b/i, use: 'not fetched, without pages' },
  { words: /\b(?:be|is|was|were|are) had\b/i, use: 'fetch, receive' },
  { words: /\b(?:goes|go|going|went|gone) on\b/i, use: 'continue' },
  { words: /\bstands? still\b/i, use: 'is stuck, pauses' },
  { words: /\bso many\b/i, use: 'the number' },
  { words: /\b(?:where|if) nothing is said\b/i, use: 'by default' },
  { words: /\bfor want of\b|\bof late\b|\bbut for\b/i, use: 'without, recently, except' },
]

/** Forbidden at the start of a statement. Questions may start so. */
const pronounFirst = /^(?:who|whoever|whom|what|whatever|of what|that which|nobody|one who)\b/i

/** Returns the faults of a text, each with its sentence. */
export const faultsOf = (text: string): string[] =>
  sentencesOf(text).flatMap(sentence => {
    const found = banned.flatMap(({ words, use }) => {
      const match = words.exec(sentence)
      return match === null ? [] : [`“${match[0]}” (use: ${use}): ${shortened(sentence)}`]
    })
    if (pronounFirst.test(sentence) && !sentence.endsWith('?'))
      found.push(`starts with a pronoun: ${shortened(sentence)}`)
    return found
  })

const shortened = (sentence: string): string =>
  sentence.length > 120 ? `${sentence.slice(0, 120)}…` : sentence

/** Paragraphs, list items, headings and table cells, split at the ends of sentences. */
function sentencesOf(text: string): string[] {
  return text
    .split(/\n\s*\n|\n(?=\s*(?:[-*|#>]|\d+\. ))/)
    .flatMap(block => block.split(/(?<!\\)\|/))
    .flatMap(block => block.replace(/\s+/g, ' ').split(/(?<=[.!?:])\s+/))
    .map(sentence => sentence.replace(/^[\s\-*#>\d.]+|[\s*]+$/g, ''))
    .filter(sentence => sentence !== '')
}

/** The prose of a document: without code, link targets and quotations. */
export const proseOf = (markdown: string): string =>
  markdown
    .replace(/^```[\s\S]*?^```/gm, '\n\n')
    .replace(/`[^`]*`/g, '…')
    .replace(/\[[^\]\s]+\.\w+\]\([^)]*\)/g, '…')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/"[^"\n]*"/g, '…')
    .replace(/[[\]]/g, '')

const regex = /(?<=[=(,:[!&|?{};]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*/
const comment = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/
const string = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/
const token = new RegExp([regex, comment, string].map(({ source }) => source).join('|'), 'g')

/** SQL names columns, which keep their names. */
const statement =
  /^\s*(?:select|case\s+when|truncate|insert into|update \S+ (?:\w+ )?set|delete from|alter table|create (?:table|index|unique)|with \w+ (?:\(.*\) )?as|(?:and|where) [\w.]+ (?:=|is|in|<|>)|(?:and )?not exists) /i

/** The words of pages that tests serve are the pages' own. */
const markup = /<[a-z!/][^>]*>/i

/** Regular expressions match the words of pages. */
const pattern = /\(\?[:=!<]/

/**
 * Returns the comments of a source file, and its strings that have at least three words and are not SQL, HTML or
 * patterns.
 */
export function textsOf(source: string): string[] {
  return [...source.matchAll(token)].flatMap(([found]) => {
    if (/^\/[*/]/.test(found)) return [uncommented(found)]
    const words = found.slice(1, -1).replace(/\$\{[^}]*\}/g, '…')
    if (found.startsWith('/') || [statement, markup, pattern].some(kind => kind.test(words))) return []
    return words.trim().split(/\s+/).length >= 3 ? [words] : []
  })
}

const uncommented = (text: string): string =>
  text
    .replace(/^\/\*+|\*\/$/g, '')
    .replace(/^\s*(?:\/\/+|\*)/gm, '')
    .replace(/`[^`]*`/g, '…')
    .trim()

/**
 * Words that new names must not contain, and the words to use. `max` is the number of names of production code that
 * still have the word, fields and parameters included. It may only fall: lower it after a rename.
 */
export const nameCeilings: readonly { word: string; max: number; use: string }[] = [
  { word: 'question', max: 9, use: 'request' },
  { word: 'asked', max: 11, use: 'requested' },
  { word: 'ask', max: 1, use: 'request, fetch' },
  { word: 'told', max: 0, use: 'sent, reported, shown' },
  { word: 'says', max: 4, use: 'states, text, description' },
  { word: 'place', max: 1, use: 'position, slot, anchor' },
  { word: 'turn', max: 2, use: 'host slot, attempt' },
  { word: 'most', max: 2, use: 'max' },
  { word: 'room', max: 2, use: 'capacity, memory' },
  { word: 'elsewhere', max: 2, use: 'external, in objects' },
  { word: 'remembered', max: 0, use: 'cached, recorded' },
  { word: 'noted', max: 0, use: 'recorded' },
  { word: 'pace', max: 0, use: 'rate limit, crawl delay' },
  { word: 'gone', max: 24, use: 'deleted, ended' },
  { word: 'pageless', max: 0, use: 'without page' },
  { word: 'unseen', max: 2, use: 'not fetched, hidden' },
  { word: 'tell', max: 1, use: 'send, report, notify' },
  { word: 'tells', max: 3, use: 'notifications' },
  { word: 'asking', max: 0, use: 'request' },
  { word: 'heard', max: 0, use: 'received' },
  { word: 'said', max: 0, use: 'reported, text' },
  { word: 'whom', max: 0, use: 'target, requester' },
]

const declaration = /\b(?:const|let|function\*?|class|type)\s+([A-Za-z_$][\w$]*)(?=[\s<(=:;{])/g
/** A field or a parameter with its type or value, or the only parameter of an arrow function. */
const field = /(?<![.\w$])([A-Za-z_$][\w$]*)(?=\??:\s|\s=>)/g

/**
 * Returns the names that a source file declares as constants, variables, functions, classes and types, and then those
 * of its fields and parameters. Destructured names do not count.
 */
export function namesIn(source: string): string[] {
  const code = source.replace(token, text => (text.startsWith('`') ? text : ''))
  return [...source.matchAll(declaration), ...code.matchAll(field)].map(([, name = '']) => name)
}

/** Returns whether a camelCase name has the word. */
export const hasWord = (name: string, word: string): boolean =>
  name.split(/(?<=[a-z\d])(?=[A-Z])|[_$]/).some(part => part.toLowerCase() === word)

/** Lines that have only a comment, and comments behind code. */
const hashComment = /(?:^[ \t]*#(?!!).*(?:\n|$))+|(?<=\S[ \t]+)#[ \t].*$/gm
const docstring = /"""([\s\S]*?)"""/g

/** The comments that `#` begins, and the docstrings of Python. */
export function hashTextsOf(source: string): string[] {
  const docstrings = [...source.matchAll(docstring)].map(([, text = '']) => text)
  const comments = source.replace(docstring, '""').match(hashComment) ?? []
  return [...docstrings, ...comments].map(text =>
    text
      .replace(/^[ \t]*#+/gm, '')
      .replace(/`[^`]*`/g, '…')
      .trim(),
  )
}

type Reader = (text: string) => string[]

/** The texts of a file by the end of its name. */
const readers: readonly (readonly [RegExp, Reader])[] = [
  [/\.md$/, text => [proseOf(text)]],
  [/(?<!saved\.examples)\.(?:tsx?|cjs|mjs)$/, textsOf],
  [/\.(?:ya?ml|conf|toml|py)$|(?:^|\/)(?:Dockerfile|Tiltfile)$/, hashTextsOf],
]

const readerOf = (path: string): Reader | undefined => readers.find(([name]) => name.test(path))?.[1]

/** Documents and source files, but not the saved pages of the examples. */
export const isChecked = (path: string): boolean => readerOf(path) !== undefined

/** Returns the faults of a document or source file, each in one line. */
export function faultsIn(path: string): string[] {
  return readerOf(path)?.(readFileSync(path, 'utf8')).flatMap(faultsOf) ?? []
}

if (import.meta.main) {
  const listed = execFileSync('git', ['ls-files', '--', ...process.argv.slice(2)], { encoding: 'utf8' })
  for (const path of listed.split('\n').filter(isChecked))
    for (const fault of faultsIn(path)) console.log(`${path}: ${fault}`)
}
