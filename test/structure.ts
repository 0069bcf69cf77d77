/**
 * Measures how the source tree is divided: small files with a single importer, folder sizes, import circles and
 * function lengths. Biome formats every file, so the indentation shows where a function ends.
 */
import { posix } from 'node:path'
import { homeOf, importsOf, isProduction, type Source } from './architecture.ts'

/** A file → the files that it imports, types included. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>

const maxFoldedLines = 20
const maxFolderFiles = 30
const maxFunctionLines = 60

/** Small files that stay on their own although only one file imports them, with the reason. */
export const ownFiles: readonly (readonly [RegExp, string])[] = [
  [/^services\/[^/]+\/settings\.ts$/, 'the place where every service declares its settings'],
  [/^services\/gateway\/[^/]+\/register\.ts$/, 'the entry of a feature'],
  [/\/crawls\/domain\/(?:rendering|user-agent)\.ts$/, 'a row of the table of field rules'],
  [/\/audit\/(?:generic-link-texts|known-directives)\.ts$/, 'a table of words that rules look up'],
  [/^libs\/telemetry\/metric-row\.ts$/, 'the head of the table of metrics, which fills its file'],
]

/** Folders that may hold more files, with the reason. */
export const largeFolders: ReadonlyMap<string, string> = new Map([
  ['contracts/http', 'a table of the API: one file a resource'],
  ['contracts/rpc', 'a table of the requests between services: one file an area'],
  ['services/extractor/domain/actors/audit', 'a table of rules: one file an area'],
])

const sharedState = 'short functions around the state of one connection or stream, which tests replace as one'

/** Functions that may be longer, with the reason. */
export const longOnes: ReadonlyMap<string, string> = new Map([
  ['libs/bus/consume.ts consume', sharedState],
  ['libs/bus/outages.ts reporter', sharedState],
  ['libs/db/watch.ts watchDatabase', sharedState],
  ['libs/eventstore/jetstream.ts jetStreamEventStore', sharedState],
  [
    'libs/html/collapsed-text.ts #addStep',
    'the inner loop over every character: a call each would cost time',
  ],
  ['services/extractor/concurrency/batches.ts createBatches', sharedState],
  ['services/extractor/concurrency/thread.ts createThread', sharedState],
  ['services/extractor/adapters/exports/leases.ts leasesIn', 'a table of statements'],
  ['services/scheduler/adapters/monitors.ts monitors', 'a table of statements'],
])

export function importGraph(sources: readonly Source[]): ImportGraph {
  const paths = new Set(sources.map(({ path }) => path))
  return new Map(sources.map(({ path, text }) => [path, targetsOf(path, text, paths)]))
}

/** A worker's file is named by a URL instead of an import. */
const workerFile = /new URL\(\s*['"]([^'"]+\.ts)['"]/g

function targetsOf(path: string, text: string, paths: ReadonlySet<string>): Set<string> {
  const specifiers = [
    ...importsOf(text).map(({ specifier }) => specifier),
    ...[...text.matchAll(workerFile)].map(([, file = '']) => file),
  ]
  const candidates = specifiers.flatMap(specifier => candidatesOf(path, specifier))
  return new Set(candidates.filter(target => target !== path && paths.has(target)))
}

function candidatesOf(path: string, specifier: string): string[] {
  if (specifier.startsWith('.')) return [posix.join(posix.dirname(path), specifier)]
  const [, name, rest] = /^@tidemark\/([^/]+)\/(.+)$/.exec(specifier) ?? []
  return name === undefined
    ? []
    : [
        `${name}/${rest}.ts`,
        `clients/${name}/${rest}.ts`,
        `libs/${name}/${rest}.ts`,
        `services/${name}/${rest}.ts`,
      ]
}

/** Returns the production files of 20 lines or fewer that exactly one file imports. */
export function foldable(sources: readonly Source[]): string[] {
  const importers = new Map<string, string[]>()
  for (const [path, targets] of importGraph(sources))
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), path])
  return sources
    .filter(({ path, text }) => isProduction(path) && linesOf(text) <= maxFoldedLines)
    .filter(({ path }) => !ownFiles.some(([pattern]) => pattern.test(path)))
    .flatMap(({ path, text }) => {
      const [importer, ...others] = importers.get(path) ?? []
      if (importer === undefined || others.length > 0 || !isOfPackage(path, importer)) return []
      return [`${path} has ${linesOf(text)} lines and belongs to its only importer, ${importer}`]
    })
}

/**
 * Returns whether the importer is production code of the same package. Other files are imported from outside, so they
 * are an entry of their package.
 */
const isOfPackage = (path: string, importer: string): boolean =>
  isProduction(importer) && homeOf(importer) === homeOf(path)

const linesOf = (text: string): number => text.trimEnd().split('\n').length

/** Returns the folders with too many files. Tests and their fixtures do not count. */
export function crowdedFolders(paths: readonly string[]): string[] {
  const counts = Object.entries(
    Object.groupBy(
      paths.filter(path => isProduction(path)),
      path => posix.dirname(path),
    ),
  )
  return counts
    .filter(([folder, files = []]) => files.length > maxFolderFiles && !largeFolders.has(folder))
    .map(([folder, files = []]) => `${folder} has ${files.length} files, more than ${maxFolderFiles}`)
}

/** Returns the groups of files that import each other, directly or through other files. */
export function circles(graph: ImportGraph): string[] {
  const found: string[] = []
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const visit = (path: string): number => {
    let lowest = index.size
    index.set(path, lowest)
    stack.push(path)
    const own = lowest
    for (const target of graph.get(path) ?? []) {
      if (!index.has(target)) lowest = Math.min(lowest, visit(target))
      else if (stack.includes(target)) lowest = Math.min(lowest, index.get(target) ?? 0)
    }
    low.set(path, lowest)
    if (lowest === own) {
      const group = stack.splice(stack.indexOf(path))
      if (group.length > 1) found.push(`${group.sort().join(', ')} import each other in a circle`)
    }
    return lowest
  }
  for (const path of graph.keys()) if (!index.has(path)) visit(path)
  return found
}

type Long = { name: string; lines: number }

/**
 * Matches the first line of a function: a declaration, an arrow function with a name, or a method whose parameters fit
 * into the line.
 */
const opening =
  /^ *(?:(?:export |default |async )*function\*? (\w+)|(?:export )?const (\w+) =(?:.* => \{$| (?:async )?(?:<.*>)?\($)|(?:(?:static|async|get|set) |\*)*(?!(?:if|for|while|switch|catch|with)\b)(#?\w+)(?:<.*>)?\(.*\)(?:: .*)? \{$)/

/** Returns the functions of more than 60 lines, from the line with the name to the line that closes the body. */
export function longFunctions({ path, text }: Source): Long[] {
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    const name = opening.exec(line)?.slice(1).find(Boolean)
    if (name === undefined) return []
    const indent = line.search(/\S/)
    // The first line that is not indented further, after the end of the parameters.
    const end = lines.findIndex(
      (other, n) => n > at && indentOf(other) <= indent && !other.trim().startsWith(')'),
    )
    if (!lines[end]?.trim().startsWith('}')) return []
    const length = end - at + 1
    return length > maxFunctionLines ? [{ name: `${path} ${name}`, lines: length }] : []
  })
}

const indentOf = (line: string): number => (line === '' ? Number.POSITIVE_INFINITY : line.search(/\S/))
