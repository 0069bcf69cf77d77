/**
 * `node build.ts ROOT`: bundles the programs of an instance with esbuild. A service loads 1,300 to 2,100 modules, and
 * finding them takes more of its start than running them: bundled, it starts with half of the processor time.
 */
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build, type Metafile, type Plugin, stop } from 'esbuild'
import { bundleFolder, type Manifest, manifestIn } from './manifest.ts'

/** Entry points of a bundle. Output files have their names, so no two may be equal. */
const programs = [
  'deploy/local/host.ts',
  'deploy/local/prepare.ts',
  'libs/telemetry/register.ts',
  'libs/telemetry/register-metrics.ts',
  'libs/url/pattern.worker.ts',
  'services/extractor/adapters/content-worker.ts',
  'services/extractor/adapters/graph-worker.ts',
  'services/extractor/adapters/large-page-worker.ts',
]

/**
 * Packages that are bundled. The others stay outside: they are loaded late, read files beside their own code, start
 * threads from it (`pino`), are patched by OpenTelemetry while they are loaded (`pg`, `ioredis`), or have objects that we
 * compare with those of other packages (`@opentelemetry/api`).
 */
const inlined = `
  @exodus/bytes @fastify/ajv-compiler @fastify/cors @fastify/fast-json-stringify-compiler @fastify/merge-json-schemas
  @fastify/swagger @fastify/type-provider-typebox @mikro-orm/* @nats-io/* @tidemark/* ajv ajv-formats
  avvio aws4fetch boolbase chardet css-select css-what dequal dom-serializer domelementtype domhandler domutils entities
  fast-decode-uri-component fast-deep-equal fast-json-stringify fast-querystring fast-uri fastify fastify-plugin fastq
  find-my-way html-encoding-sniffer htmlparser2 hyparquet hyparquet-writer ipaddr.js js-sha256 json-schema-ref-resolver
  json-schema-traverse kysely light-my-request nth-check re2js ret reusify rfdc safe-regex2 semver tldts tweetnacl
  typebox undici yaml`.split(/\s+/)

/** `ajv/dist/core` belongs to `ajv`. */
const isInlined = (name: string): boolean => {
  const [scope = '', own = ''] = name.split('/')
  const names = scope.startsWith('@') ? [`${scope}/${own}`, `${scope}/*`] : [scope]
  return names.some(one => inlined.includes(one))
}

const maxAgeMs = 24 * 3_600_000

const isPackage = /^[^./]/
const worker = /new URL\(\s*'[^']*?([\w.-]+worker)\.ts',\s*import\.meta\.url,?\s*\)/g

/** Builds the bundle in a temporary folder and renames it, so that a concurrent start never sees half of one. */
async function buildBundle(root: string): Promise<void> {
  const parent = bundleFolder(root)
  await mkdir(parent, { recursive: true })
  const fresh = await mkdtemp(path.join(parent, 'new-'))
  try {
    const metafile = await bundleInto(fresh, root, [...programs, 'deploy/local/launcher.ts'])
    const dir = fresh.replace(/new-(?=\w+$)/, 'built-')
    await rename(fresh, dir)
    const manifest = { dir, inputs: await inputsOf(metafile, root) }
    await writeManifest(root, manifest)
    await removeOld(parent)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

/**
 * Bundles the entry of the image with everything that it may run. The sources must stay at their places beside the
 * folder, because the bundle reads files that lie among them.
 */
export const buildImageBundle = (outdir: string, root: string): Promise<Metafile> =>
  bundleInto(outdir, root, [...programs, 'deploy/run.ts'])

async function bundleInto(outdir: string, root: string, entryPoints: string[]): Promise<Metafile> {
  try {
    const { metafile, outputFiles } = await build({
      entryPoints,
      absWorkingDir: root,
      outdir,
      entryNames: '[name]',
      chunkNames: 'chunk-[hash]',
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      metafile: true,
      logLevel: 'silent',
      write: false,
      // Every process keeps the text of its code. Names stay, and lines stay short, for stack traces.
      minifyWhitespace: true,
      lineLimit: 160,
      legalComments: 'external',
      // Inlined CommonJS packages call `require` for packages that are not inlined.
      banner: {
        js: `import{createRequire as bundleRequire}from'node:module';const require=bundleRequire(import.meta.url);`,
      },
      plugins: [outside, sourcePaths],
    })
    await mkdir(outdir, { recursive: true })
    for (const { path: file, text } of outputFiles)
      await writeFile(file, file.endsWith('.mjs') ? inAscii(text) : text)
    return metafile
  } finally {
    await stop()
  }
}

/**
 * Escapes what is not ASCII. esbuild does so in strings, but not in regular expressions, and V8 keeps a whole file in two
 * bytes a character because of one character beyond Latin-1. One after a backslash cannot be escaped, and stays.
 */
const inAscii = (code: string): string =>
  code.replace(/(?<!\\)[\u0080-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Removes bundles older than a day. No instance runs from them, because it renews the age of its own bundle. */
async function removeOld(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const folder = path.join(parent, name)
    const found = await stat(folder).catch(() => null)
    if (found !== null && Date.now() - found.mtimeMs > maxAgeMs)
      await rm(folder, { recursive: true, force: true })
  }
}

/** Returns the sources and this file with their times of change. Packages change with the lock file only. */
async function inputsOf({ inputs }: Metafile, root: string): Promise<Manifest['inputs']> {
  const own = Object.keys(inputs).filter(file => !file.includes('node_modules/'))
  const files = ['package-lock.json', ...own].map(file => path.join(root, file)).concat(import.meta.filename)
  return Promise.all(files.map(async file => [file, (await stat(file)).mtimeMs] as const))
}

async function writeManifest(root: string, manifest: Manifest): Promise<void> {
  const file = `${manifest.dir}.json`
  await writeFile(file, JSON.stringify(manifest))
  await rename(file, manifestIn(root))
}

/**
 * Leaves packages that are not inlined to Node: by name if the bundle finds the same file, because OpenTelemetry
 * patches packages by name, else by path, relative to the bundle.
 */
const outside: Plugin = {
  name: 'outside',
  setup({ onResolve, resolve, initialOptions: { absWorkingDir: root = '', outdir = '' } }) {
    onResolve({ filter: isPackage }, async ({ path: name, kind, resolveDir, pluginData }) => {
      if (name.startsWith('node:') || pluginData === outside || isInlined(name) || kind === 'entry-point')
        return null
      const [own, roots] = await Promise.all(
        [resolveDir, root].map(folder => resolve(name, { kind, resolveDir: folder, pluginData: outside })),
      )
      const isOwn = own?.errors.length === 0 && own.path !== roots?.path
      return { path: isOwn ? path.relative(outdir, own.path) : name, external: true }
    })
  },
}

/**
 * Replaces `import.meta` by the path of the source relative to the bundle, so that modules find the files beside them.
 * Worker threads start from the bundle.
 */
const sourcePaths: Plugin = {
  name: 'source-paths',
  setup({ onLoad, initialOptions: { absWorkingDir = '', outdir = '', entryPoints } }) {
    const bundled = (entryPoints as string[]).map(entry => path.basename(entry, '.ts'))
    onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
      if (file.includes(`${path.sep}node_modules${path.sep}`)) return null
      const text = await readFile(file, 'utf8')
      if (!text.includes('import.meta.')) return null
      const source = path.relative(outdir, file)
      const contents = text
        .replace(worker, (whole, name) =>
          bundled.includes(name) ? `new URL('./${name}.mjs', import.meta.bundled)` : whole,
        )
        .replaceAll('import.meta.url', `new URL(${JSON.stringify(source)}, import.meta.bundled).href`)
        .replaceAll(
          'import.meta.dirname',
          `(import.meta.folder + ${JSON.stringify(`/${path.dirname(source)}`)})`,
        )
        .replaceAll('import.meta.bundled', 'import.meta.url')
        .replaceAll('import.meta.folder', 'import.meta.dirname')
      return { contents, loader: 'ts', resolveDir: path.dirname(path.resolve(absWorkingDir, file)) }
    })
  },
}

if (import.meta.main) {
  await buildBundle(process.argv[2] ?? '.').catch(error => {
    process.stderr.write(error.message)
    process.exitCode = 1
  })
}
