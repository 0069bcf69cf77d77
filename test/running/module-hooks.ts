/**
 * Preloaded into each test process and its children, which load up to 2,600 modules. Bundled packages replace their
 * modules (packages.ts), and our own sources are found without a search and have no types: a gateway loads with half of
 * the processor time.
 */
import fs from 'node:fs'
import { type RegisterHooksOptions, registerHooks } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = new URL('../../', import.meta.url).href
const tableFile = process.env.TEST_PACKAGES
const strippedRoot = pathToFileURL(`${process.env.TEST_STRIPPED}/`).href
/** The folders of our packages, by the last part of the package's name, which equals the name of the folder. */
const folders = new Map([
  ['contracts', 'contracts'],
  ['deploy', 'deploy'],
  ...['libs', 'services', 'clients'].flatMap(room =>
    fs.readdirSync(new URL(room, root)).map(name => [name, `${room}/${name}`] as const),
  ),
])
/** Loads our own sources without their types (stripped.ts). */
const loadStripped: RegisterHooksOptions['load'] = (url, context, nextLoad) => {
  const source = url.startsWith(root) && url.endsWith('.ts') ? strippedOf(url) : null
  return source === null ? nextLoad(url, context) : { format: 'module', source, shortCircuit: true }
}
if (tableFile !== undefined) {
  const urls: [string, string][] = Object.entries(JSON.parse(fs.readFileSync(tableFile, 'utf8')))
  registerHooks({ resolve: resolver(new Map(urls)), load: loadStripped })
}

/** @param bundles URLs by the names of packages */
function resolver(bundles: ReadonlyMap<string, string>): RegisterHooksOptions['resolve'] {
  return (specifier, context, nextResolve) => {
    const bundle = bundles.get(specifier)
    if (bundle !== undefined) return found(bundle)
    if (specifier.startsWith('.') && (specifier.endsWith('.ts') || specifier.endsWith('.mjs')))
      return found(new URL(specifier, context.parentURL).href)
    // A process may also run another checkout or the image, which have sources of their own.
    const isOurs = context.parentURL?.startsWith(root) === true
    return (isOurs ? sourceOf(specifier) : null) ?? nextResolve(specifier, context)
  }
}

/** Returns the source without its types, or null if it is new or has changed since the types were removed. */
function strippedOf(url: string): Buffer | null {
  const stripped = fileURLToPath(url.replace(root, strippedRoot))
  const madeAt = changedAt(stripped)
  return madeAt !== undefined && madeAt === changedAt(fileURLToPath(url)) ? fs.readFileSync(stripped) : null
}

const changedAt = (file: string) => fs.statSync(file, { throwIfNoEntry: false })?.mtime.getTime()

/**
 * Returns the file of a specifier such as `@tidemark/bus/rpc`. All our packages export their files in this form.
 * Returns null for other specifiers.
 */
function sourceOf(specifier: string): ReturnType<typeof found> | null {
  const [, name = '', file] = /^@tidemark\/([^/]+)\/(.+)$/.exec(specifier) ?? []
  const folder = folders.get(name)
  return folder === undefined ? null : found(`${root}${folder}/${file}.ts`)
}

const found = (url: string) => ({
  url,
  format: url.endsWith('.ts') ? 'module-typescript' : 'module',
  shortCircuit: true,
})
