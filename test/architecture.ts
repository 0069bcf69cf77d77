/**
 * The rules for imports, as a table: test → deploy → services → libs → contracts → typebox. A service never imports a
 * service, a lib imports another lib only in listed cases, and `domain/` imports values only from pure packages. The
 * packages of `clients/` are separate: from this project, they import only the client of their language.
 */
import { services } from '@tidemark/contracts/services'

export type Import = { specifier: string; typeOnly: boolean }
export type Source = { path: string; text: string }
/** External packages that the nearest package.json declares. */
export type Declared = ReadonlySet<string>

const libsOnBus = new Set(['eventstore', 'db', 'content'])
/** Packages of the folder `clients`. They call the public API and share no code with the service. */
const clientPackages = new Set(['sdk', 'mcp', 'cli', 'console'])
/** The gateway hosts the MCP server, which calls the public API like any other client. */
const servesClients = 'services/gateway/mcp/'
const pureLibs = new Set(['url', 'robots', 'html', 'sitemap', 'export', 'chunks', 'schema'])
/** Builtins of Node that return the same result for the same arguments. */
const pureBuiltins = new Set(['node:crypto'])
/** Files with computed imports, which these rules cannot judge, and what each loads. */
export const computedImports: ReadonlyMap<string, string> = new Map([
  ['clients/typescript/web-crypto.ts', 'the WebCrypto of Node 18, hidden from bundlers'],
  ['deploy/local/start.ts', 'the launcher, bundled or not'],
  ['services/extractor/adapters/scrapers-folder.ts', 'the scrapers in their folder'],
])
/** Written by a program from the OpenAPI document, so they may be long. */
const generatedFiles: ReadonlySet<string> = new Set(['clients/typescript/schema.ts'])
/** Loads the services of a process. */
const entries = 'deploy/local/entries.ts'
/** Recomputes results of the services with their own projections and folds. */
const recomputes = 'deploy/admin/'
const forbiddenNames = /(^|\/)(utils?|common|shared|helpers?|core|index)(\/|\.ts$)/
const maxFileLength = 250
/** A second ending, as in `x.scene.ts`, marks fixtures and test data, except of workers and declarations. */
const aroundTests = /[^/.]\.(?!(?:worker|d|json|css)\b|tsx?$)[a-z]+(?:\.ts)?$/
/** Adapters define their own types, and other files import the types from there. */
const adapter = /^services\/[^/]+\/(?:[^/]+\/)*adapters\//
/** Files of the gateway that an adapter of the gateway may import: no routes and no plugins. */
const forAdapters = /^services\/gateway\/(?:settings\.ts$|(?:[^/]+\/)*(?:adapters|domain|projections)\/)/

/** Folders of the gateway that its features share. Each may import those before it. */
const sharedByFeatures = ['http', 'read-model', 'metering', 'access', 'live-pages', 'reference']
/** Features of the gateway, each in its own folder. They import shared folders and no other feature. */
const features = [
  'account',
  'actors',
  'cloud',
  'console',
  'crawls',
  'diffs',
  'evidence',
  'exports',
  'links',
  'mcp',
  'monitors',
  'operations',
  'pages',
  'reference-pages',
  'scan',
  'webhooks',
]
/** The allowed imports between features, with the reason. */
const betweenFeatures: ReadonlyMap<string, string> = new Map([
  ['services/gateway/exports/exports.ts → services/gateway/crawls/started.ts', 'keys of both have one form'],
  ['services/gateway/scan/batches.ts → services/gateway/crawls/started.ts', 'keys of both have one form'],
  ['services/gateway/monitors/cron-runs.ts → services/gateway/crawls/started.ts', 'a monitor starts crawls'],
  [
    'services/gateway/reference-pages/openapi.ts → services/gateway/webhooks/reference-events.ts',
    'the OpenAPI document describes the events of webhooks',
  ],
])
/** Combines the texts of all features. */
const wordsOfFeatures = 'services/gateway/reference/operations.ts'
/** Files beside the folders of the gateway that features may import. The other files there compose the features. */
const besideFeatures = new Set(['app.ts', 'settings.ts'])
const filesInFolder = 30

/** Returns every import and re-export of a file, including dynamic ones. */
export function importsOf(text: string): Import[] {
  const statements = /^\s*(?:import|export)\s+(type\s)?(?:[\w*{][^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]/gm
  const dynamic = /\bimport\(\s*['"]([^'"]+)['"]/g
  return [
    ...[...text.matchAll(statements)].map(([, type, specifier = '']) => ({
      specifier,
      typeOnly: Boolean(type),
    })),
    ...[...text.matchAll(dynamic)].map(([, specifier = '']) => ({ specifier, typeOnly: false })),
  ]
}

const computedImport = /\bimport\(\s*(?!['"\s])/g

/** Returns the number of imports with a computed specifier, including template strings. */
export const computedIn = (text: string): number => [...text.matchAll(computedImport)].length

const traces = /from '(?:@tidemark\/bus\/trace|@opentelemetry\/api|\.\/trace\.ts)'/
const spanStarted = /\bwith(?:Work|Batch)?Span\(\s*['"`]/g
const attributeNamed = /['"][a-z_]+(?:\.[a-z_]+)+['"]/g
const namesOfTraces = 'contracts/traces.ts'

/**
 * Returns a sentence for each name of a span or attribute that a file about traces spells out itself. Names of metrics
 * are excepted.
 */
export function ownNames({ path, text }: Source, metrics: ReadonlySet<string>): string[] {
  if (!traces.test(text) || path === namesOfTraces || isTest(path)) return []
  const attributes = [...text.matchAll(attributeNamed)].filter(
    ([literal]) => !metrics.has(literal.slice(1, -1)) && !/\.m?ts.$/.test(literal),
  )
  return [...attributes, ...text.matchAll(spanStarted)].map(
    ([literal]) => `${path} spells out ${literal}: import the name from ${namesOfTraces}`,
  )
}

/** Returns the violations of a file, each as a sentence. */
export function violations({ path, text }: Source, declared: Declared): string[] {
  const found = importsOf(text).flatMap(imported => {
    const reason = reasonAgainst(path, imported, declared)
    return reason ? [`${path} imports ${imported.specifier}: ${reason}`] : []
  })
  if (isProduction(path) && !computedImports.has(path) && computedIn(text) > 0)
    found.push(`${path} has a computed import, which these rules cannot judge: list it in computedImports`)
  if (forbiddenNames.test(path)) found.push(`${path}: the name does not describe the contents`)
  const lines = text.split('\n').length
  if (!isTest(path) && !generatedFiles.has(path) && lines > maxFileLength)
    found.push(`${path}: ${lines} lines, at most ${maxFileLength}`)
  return found
}

function reasonAgainst(path: string, imported: Import, declared: Declared): string | null {
  const { specifier } = imported
  const isOurs = specifier.startsWith('.') || specifier.startsWith('@tidemark/')
  if (isOurs && isProduction(path) && aroundTests.test(specifier)) return 'it is a fixture or test data'
  if (specifier.startsWith('.')) return againstRelative(path, specifier)
  if (specifier.startsWith('node:')) return againstBuiltin(path, imported)
  if (!specifier.startsWith('@tidemark/')) return againstExternal(path, imported, declared)
  return againstPackage(path, imported)
}

function againstRelative(path: string, specifier: string): string | null {
  const target = new URL(specifier, `file:///${path}`).pathname.slice(1)
  if (homeOf(target) !== homeOf(path) && !path.startsWith('test/') && !mayReach(path, target)) {
    return 'another package is imported by its name'
  }
  if (isDomain(path) && !isDomain(target)) return 'domain/ imports only its own folder'
  if (adapter.test(path) && !isTest(path) && homeOf(path) === 'services/gateway' && !forAdapters.test(target))
    return 'adapters of the gateway import no route and no plugin'
  return isTest(path) ? null : againstFeature(path, target)
}

const partsOfGateway = /^services\/gateway\/(?:([^/]+)\/)?(.+)$/

function againstFeature(path: string, target: string): string | null {
  const [, from] = partsOfGateway.exec(path) ?? []
  const [, to, file = ''] = partsOfGateway.exec(target) ?? []
  if (from === undefined || from === to || path === wordsOfFeatures) return null
  if (to === undefined)
    return besideFeatures.has(file) ? null : 'features do not import the files that compose them'
  const [rank, otherRank] = [sharedByFeatures.indexOf(from), sharedByFeatures.indexOf(to)]
  if (otherRank >= 0 && (rank < 0 || otherRank < rank)) return null
  if (rank >= 0) return 'a shared folder imports no feature, and only the shared folders listed before it'
  return betweenFeatures.has(`${path} → ${target}`)
    ? null
    : 'a feature of the gateway imports no other feature'
}

/**
 * Returns the violations of the gateway's folders: each is a feature or listed as shared, and none has too many files.
 */
export function gatewayFolders(paths: readonly string[]): string[] {
  const known = new Set([...sharedByFeatures, ...features])
  const inGateway = paths.filter(path => path.startsWith('services/gateway/'))
  const folders = Map.groupBy(inGateway, path => path.slice(0, path.lastIndexOf('/')))
  const unknown = [...new Set(inGateway.flatMap(path => partsOfGateway.exec(path)?.[1] ?? []))]
  return [
    ...unknown
      .filter(name => !known.has(name))
      .map(name => `services/gateway/${name} is neither a feature nor listed as shared`),
    ...[...folders]
      .filter(([, { length }]) => length > filesInFolder)
      .map(([folder, { length }]) => `${folder}: ${length} files, at most ${filesInFolder}`),
    ...[...betweenFeatures.keys()]
      .filter(edge => !edge.split(' → ').every(path => paths.includes(path)))
      .map(edge => `${edge} is allowed, but a file of it does not exist`),
  ]
}

const mayReach = (path: string, target: string): boolean => isTest(path) && target.startsWith('test/')

function againstBuiltin(path: string, { specifier, typeOnly }: Import): string | null {
  if (path.startsWith('contracts/')) return 'contracts import nothing but typebox'
  if (typeOnly || pureBuiltins.has(specifier)) return null
  return isDomain(path) ? 'domain/ never reaches outside' : null
}

function againstExternal(path: string, { specifier, typeOnly }: Import, declared: Declared): string | null {
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
  if (path.startsWith('contracts/') && name !== 'typebox') return 'contracts import nothing but typebox'
  if (isDomain(path) && !typeOnly) return 'domain/ takes values only from contracts and the pure libs'
  return declared.has(name) || isTest(path) ? null : 'not declared in its package.json'
}

function againstPackage(path: string, { specifier, typeOnly }: Import): string | null {
  const [, to = ''] = specifier.split('/')
  const [area, name = ''] = path.split('/')
  if (isOfTesting(path) && (isService(to) || to === 'deploy'))
    return 'testing imports contracts and libs alone'
  if (isTest(path) || area === 'test') return null
  if (area === 'clients') return to === 'sdk' ? null : 'clients import nothing of the service'
  if (clientPackages.has(to)) return path.startsWith(servesClients) ? null : 'the service imports no client'
  if (to === 'contracts') return null
  if (isDomain(path) && !typeOnly && !pureLibs.has(to))
    return 'domain/ takes values only from contracts and the pure libs'
  if (area === 'contracts') return 'contracts import nothing but typebox'
  if (area === 'libs') return againstLib(name, to)
  if (to === 'testing') return 'only tests import testing'
  if (to === 'deploy' && area !== 'deploy') return 'only tests import deploy'
  return isService(to) && path !== entries && !path.startsWith(recomputes)
    ? 'a service is never imported'
    : null
}

function againstLib(name: string, to: string): string | null {
  if (isService(to)) return 'a lib never imports a service'
  if (name === to) return null
  return to === 'bus' && libsOnBus.has(name) ? null : 'a lib imports no other lib'
}

const isService = (name: string): boolean => services.some(service => service === name)
const isTest = (path: string): boolean =>
  /\.(test|behaviour|scene)\.ts$/.test(path) || path.startsWith('libs/testing/')
/** The package `testing` may import any lib, as tests do, but no service and not `deploy`. */
const isOfTesting = (path: string): boolean =>
  path.startsWith('libs/testing/') && !/\.(test|behaviour|scene)\.ts$/.test(path)
/** Returns whether a file is neither a test nor a fixture or data of tests. */
export const isProduction = (path: string): boolean =>
  !isTest(path) && !path.startsWith('test/') && !aroundTests.test(path)
const isDomain = (path: string): boolean =>
  /^services\/[^/]+\/(?:[^/]+\/)*domain\//.test(path) && !isTest(path)

/** Returns the package of a path. */
export function homeOf(path: string): string {
  const [area = '', name = ''] = path.split('/')
  return area === 'libs' || area === 'services' || area === 'clients' ? `${area}/${name}` : area
}
