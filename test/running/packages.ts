/**
 * Bundles the packages of many modules, one file for each name that this project imports. Typebox alone has 683
 * modules, and each test process needs more time to find and link them than to run them.
 */
import { hash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin, stop } from 'esbuild'
import { strippedSources } from './stripped.ts'

/** The names under which this project and other packages import the bundled packages. */
const names = [
  '@fastify/type-provider-typebox',
  '@mikro-orm/core',
  '@mikro-orm/migrations',
  '@mikro-orm/postgresql',
  '@nats-io/jetstream',
  '@nats-io/nats-core',
  '@nats-io/obj',
  '@nats-io/transport-node',
  '@opentelemetry/api',
  'css-select',
  'domhandler',
  'htmlparser2',
  'kysely',
  're2js',
  'typebox',
  'typebox/compile',
  'typebox/value',
]

/** Packages of which test processes load another implementation, here of the class Domain. */
const replacements = { 'async-hook-domain': './error-domain.ts' }

/** Other packages that are bundled with these packages, so that no module exists twice. */
const bundled =
  /^(?:@fastify\/type-provider-typebox|@mikro-orm\/\w+|@nats-io\/[\w-]+|@opentelemetry\/api|css-select|css-what|dom-serializer|domhandler|domutils|entities|htmlparser2|kysely|nth-check|re2js|typebox)(?:\/|$)/
const isPackage = /^[^./]/

/** Node adds `module.exports` to the exports of a CommonJS package. */
const isName = (key: string): boolean => key !== 'module.exports'

/** Returns the environment in which a process of Node and its children load modules with module-hooks.ts. */
export async function moduleEnvironment(root: string, cache: string): Promise<NodeJS.ProcessEnv> {
  const { NODE_OPTIONS: options = '' } = process.env
  const hooks = pathToFileURL(path.join(import.meta.dirname, 'module-hooks.ts')).href
  return {
    TEST_PACKAGES: await packageTable(root, cache),
    TEST_STRIPPED: await strippedSources(root, cache),
    NODE_OPTIONS: `${options} --import=${hooks}`.trim(),
  }
}

/** Returns the file with the URL of each bundled name. It is built when the lock file or this file has changed. */
async function packageTable(root: string, cache: string): Promise<string> {
  const sources = [path.join(root, 'package-lock.json'), import.meta.filename]
  const texts = await Promise.all(sources.map(file => fs.readFile(file)))
  const folder = path.join(cache, `packages-${hash('sha256', Buffer.concat(texts)).slice(0, 16)}`)
  const table = path.join(folder, 'table.json')
  const isBuilt = await fs.access(table).then(
    () => true,
    () => false,
  )
  if (!isBuilt) await buildInto(folder, root)
  return table
}

/** Builds in a temporary folder and renames it at the end, so that a concurrent run never reads an incomplete one. */
async function buildInto(folder: string, root: string): Promise<void> {
  await fs.mkdir(path.dirname(folder), { recursive: true })
  const fresh = await fs.mkdtemp(`${folder}-`)
  try {
    await bundle(fresh, root)
    const urls = names.map(name => [name, pathToFileURL(path.join(folder, `${fileOf(name)}.mjs`)).href])
    const replaced = Object.entries(replacements).map(([name, file]) => [
      name,
      pathToFileURL(path.join(import.meta.dirname, file)).href,
    ])
    await fs.writeFile(
      path.join(fresh, 'table.json'),
      JSON.stringify(Object.fromEntries([...urls, ...replaced])),
    )
    await fs.rename(fresh, folder).catch(error => {
      if (error.code !== 'ENOTEMPTY') throw error // another run was faster
    })
  } finally {
    await fs.rm(fresh, { recursive: true, force: true })
  }
}

async function bundle(outdir: string, root: string): Promise<void> {
  const exported = new Map<string, string[]>()
  for (const name of names) exported.set(name, Object.keys(await import(name)).filter(isName))
  try {
    await build({
      entryPoints: names.map(name => ({ in: `exports of ${name}`, out: fileOf(name) })),
      absWorkingDir: root,
      outdir,
      chunkNames: 'chunk-[hash]',
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      logLevel: 'silent',
      // CommonJS packages require others, and modules of Node.
      banner: {
        js: `import{createRequire as bundleRequire}from'node:module';const require=bundleRequire(import.meta.url);`,
      },
      plugins: [exportsOf(exported, root), outside],
    })
  } finally {
    await stop()
  }
}

/**
 * Creates one module for each name, which exports its names explicitly: in a bundle, a CommonJS package would have no
 * named exports.
 */
const exportsOf = (exported: ReadonlyMap<string, string[]>, root: string): Plugin => ({
  name: 'exports',
  setup({ onResolve, onLoad }) {
    const filter = /^exports of /
    onResolve({ filter }, ({ path: name }) => ({ path: name.replace(filter, ''), namespace: 'exports' }))
    onLoad({ filter: /./, namespace: 'exports' }, ({ path: name }) => ({
      contents: `export { ${exported.get(name)?.join(', ')} } from '${name}'`,
      resolveDir: root,
    }))
  },
})

const outside: Plugin = {
  name: 'outside',
  setup({ onResolve }) {
    onResolve({ filter: isPackage }, ({ path: name }) =>
      bundled.test(name) || name.startsWith('exports of ') ? null : { path: name, external: true },
    )
  },
}

const fileOf = (name: string): string => name.replace('@', '').replaceAll('/', '+')
