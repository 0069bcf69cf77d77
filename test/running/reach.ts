/**
 * Finds the test files that a change can affect. A test reaches the files that it imports. It also reaches the files
 * and folders that it, or a file that it reaches, names in a string, such as a program that is started or a page that
 * is read.
 */
import path from 'node:path'
import { importsOf, type Source } from '../architecture.ts'

const isTest = (file: string) => file.endsWith('.test.ts')
const isCode = (file: string) => /\.(?:tsx?|cjs)$/.test(file)

/** All tests depend on these. */
const everywhere =
  /^(?:\.ci|scripts|test\/running)\/|^(?:\.npmrc|tsconfig\.json|test\/run\.ts)$|(?:^|\/)package(?:-lock)?\.json$/
/** Tests that read the whole tree or compare documents with it. They take seconds. */
const always = /^test\/(?:[^/]+|contract\/[^/]+)\.test\.ts$|^deploy\/cluster\//
/** Programs of a whole system. */
const system = [
  'contracts/',
  'libs/',
  'services/',
  ...['local', 'nats', 'postgres', 'admin'].map(name => `deploy/${name}/`),
]
/**
 * Files that reach more than they name: a file or a folder, and then the folders that it reaches. Tests of whole
 * systems reach everything in these folders. The other files have computed imports, which `computedImports` lists.
 */
const table: [from: string, ...to: string[]][] = [
  ['test/e2e/', ...system],
  ['test/chaos/', ...system],
  ['services/extractor/adapters/scrapers-folder.ts', 'services/extractor/domain/scrapers/'],
]
export type Reach = {
  tests: string[]
  /** Changed files that no test reaches. */
  unreached: string[]
}

/** @param sources all files; the text of those that are no code may be empty */
export function reachOf(sources: readonly Source[], changed: ReadonlySet<string>): Reach {
  const files = new Set(sources.map(({ path }) => path))
  const tests = [...files].filter(isTest)
  if ([...changed].some(file => everywhere.test(file))) return { tests: tests.sort(), unreached: [] }
  const importers = importersIn(sources, files)
  const affected = new Set<string>()
  const unreached: string[] = []
  for (const file of changed) {
    const reaching = [...closure(file, importers)].filter(one => isTest(one) && files.has(one))
    for (const test of reaching.length > 0 || isCode(file) ? reaching : nearest(file, tests))
      affected.add(test)
    if (reaching.length === 0) unreached.push(file)
  }
  if (changed.size > 0) for (const test of tests.filter(test => always.test(test))) affected.add(test)
  return { tests: [...affected].sort(), unreached }
}

/** Returns for each file the files that reach it in one step. */
function importersIn(sources: readonly Source[], files: ReadonlySet<string>): Map<string, string[]> {
  const importers = new Map<string, string[]>()
  const folders = foldersOf(files)
  const note = (file: string, from: string) => {
    const others = importers.get(file)
    if (others === undefined) importers.set(file, [from])
    else others.push(from)
  }
  for (const { path: from, text } of sources) {
    if (isCode(from)) for (const file of new Set(namedIn(from, text, files, folders))) note(file, from)
    for (const [start, ...ends] of table) if (from.startsWith(start)) for (const end of ends) note(end, from)
  }
  return importers
}

/**
 * Returns the file and all files that reach it, directly or through other files, or that reach one of its folders. No
 * file reaches a test.
 */
function closure(file: string, importers: ReadonlyMap<string, string[]>): Set<string> {
  const found = new Set([file])
  for (const one of found) {
    const steps = one.split('/').map((_, n, all) => `${all.slice(0, n).join('/')}/`)
    for (const name of isTest(one) ? [] : [one, ...steps])
      for (const from of importers.get(name) ?? []) found.add(from)
  }
  return found
}

/** The files and folders that a file imports or names. Folders end with a slash. */
function* namedIn(
  from: string,
  text: string,
  files: ReadonlySet<string>,
  folders: ReadonlySet<string>,
): Generator<string> {
  const home = path.posix.dirname(from)
  for (const { specifier, typeOnly } of importsOf(text)) {
    const file = specifier.startsWith('.')
      ? path.posix.join(home, specifier)
      : fileOfPackage(specifier, files)
    if (file !== null && !typeOnly && files.has(file)) yield file
  }
  const values = text.replaceAll(/^\s*(?:import|export) type [^'"]*['"][^'"]+['"]/gm, '') // types are checked in every run
  for (const [, literal = ''] of values.matchAll(/['"`]([\w./@-]+)['"`]/g)) {
    const beside = path.posix.join(home, literal)
    for (const file of [beside, path.posix.normalize(literal)]) if (files.has(file)) yield file
    const isBroad = /^[./]*$/.test(literal)
    if (!isBroad)
      for (const folder of [beside, literal]) if (folders.has(slashed(folder))) yield slashed(folder)
  }
}

/** `@tidemark/url/site` is `libs/url/site.ts`. */
function fileOfPackage(specifier: string, files: ReadonlySet<string>): string | null {
  const [, name = '', rest = ''] = /^@tidemark\/([^/]+)\/(.+)$/.exec(specifier) ?? []
  const homes = ['', 'libs/', 'services/'].map(home => `${home}${name}/${rest}.ts`)
  return homes.find(file => files.has(file)) ?? null
}

/**
 * Returns the folders below the top level. Top-level folders such as `libs` are named too often to prove that a file
 * uses them.
 */
function foldersOf(files: ReadonlySet<string>): Set<string> {
  const folders = new Set<string>()
  for (const file of files)
    for (let at = path.posix.dirname(file); at.includes('/'); at = path.posix.dirname(at))
      folders.add(`${at}/`)
  return folders
}

const slashed = (folder: string) => (folder.endsWith('/') ? folder : `${folder}/`)

/** Returns the tests in the nearest folder that has tests, for data that no file names. */
function nearest(file: string, tests: readonly string[]): string[] {
  for (let at = path.posix.dirname(file); at !== '.'; at = path.posix.dirname(at)) {
    const found = tests.filter(test => test.startsWith(`${at}/`))
    if (found.length > 0) return found
  }
  return []
}
