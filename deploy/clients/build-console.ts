/**
 * `node deploy/clients/build-console.ts` builds the console into `node_modules/.cache/console`, where the gateway finds it.
 * The launcher does so at a start if a source has changed, and the image when it is built. File names contain the hash of
 * their content, so browsers keep them for good.
 */
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { constants, gzipSync } from 'node:zlib'
import type { Metafile } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folderIn = (root: string) => path.join(root, 'node_modules/.cache/console')
const web = 'clients/console/web'
const entries = ['main.tsx', 'frame.css', 'graph/layout-worker.ts', 'graph/paint-worker.ts']
const maxAgeMs = 24 * 3_600_000

type Manifest = {
  /** Folder of the files, within the folder of the manifest. */
  dir: string
  /** Source files with their times of change in ms since 1970, relative to the project. */
  inputs: [file: string, changedAt: number][]
}

/** Builds the console unless it is built from these sources. Returns the folder of its files. */
export async function buildConsole(from: string = root): Promise<string> {
  const parent = folderIn(from)
  const fresh = await freshDir(from, parent)
  if (fresh !== null) return path.join(parent, fresh)
  // Loaded only here, because most starts need no bundler.
  const { build, stop } = await import('esbuild')
  await mkdir(parent, { recursive: true })
  const dir = await mkdtemp(path.join(parent, 'new-'))
  try {
    const { metafile } = await build({
      entryPoints: entries.map(file => `${web}/${file}`),
      outbase: web,
      absWorkingDir: from,
      outdir: dir,
      // Assets have no folders.
      entryNames: '[name]-[hash]',
      chunkNames: 'part-[hash]',
      bundle: true,
      splitting: true,
      format: 'esm',
      minify: true,
      target: ['chrome120', 'firefox120', 'safari17'],
      jsx: 'automatic',
      jsxImportSource: 'preact',
      legalComments: 'none',
      metafile: true,
      logLevel: 'silent',
    })
    await writeFile(path.join(dir, 'index.html'), pageOf(metafile))
    for (const name of await readdir(dir)) {
      const packed = gzipSync(await readFile(path.join(dir, name)), { level: constants.Z_BEST_COMPRESSION })
      await writeFile(path.join(dir, `${name}.gz`), packed)
    }
    // Temporary folders are private, and the image runs as another user.
    await chmod(dir, 0o755)
    const built = dir.replace(/new-(?=\w+$)/, 'built-')
    await rename(dir, built)
    await replaceManifest(parent, { dir: path.basename(built), inputs: await inputsOf(metafile, from) })
    return built
  } finally {
    await Promise.all([stop(), rm(dir, { recursive: true, force: true })])
  }
}

async function freshDir(from: string, parent: string): Promise<string | null> {
  try {
    const { dir, inputs }: Manifest = JSON.parse(await readFile(path.join(parent, 'manifest.json'), 'utf8'))
    await stat(path.join(parent, dir))
    const times = await Promise.all(inputs.map(([file]) => stat(path.join(from, file))))
    return times.every(({ mtimeMs }, n) => mtimeMs === inputs[n]?.[1]) ? dir : null
  } catch {
    return null
  }
}

/** Replaces the manifest, and removes builds older than a day. Open pages may still use younger ones. */
async function replaceManifest(parent: string, manifest: Manifest): Promise<void> {
  const file = path.join(parent, `${manifest.dir}.json`)
  await writeFile(file, JSON.stringify(manifest))
  await rename(file, path.join(parent, 'manifest.json'))
  for (const name of await readdir(parent)) {
    const found = await stat(path.join(parent, name)).catch(() => null)
    if (found !== null && Date.now() - found.mtimeMs > maxAgeMs)
      await rm(path.join(parent, name), { recursive: true, force: true })
  }
}

/** Returns the source files with their times of change. The lock file stands for all packages. */
async function inputsOf({ inputs }: Metafile, from: string): Promise<Manifest['inputs']> {
  const files = Object.keys(inputs).filter(file => !file.includes('node_modules/'))
  return Promise.all(
    ['package-lock.json', ...files].map(async file => [file, (await stat(path.join(from, file))).mtimeMs]),
  )
}

/**
 * The page names its script and its styles. A frame with a stored page uses the styles of frame.css, and the link graph
 * starts its workers.
 */
function pageOf({ outputs }: Metafile): string {
  const named = (entry: string) => {
    const [file = '', { cssBundle = '', imports = [] } = {}] =
      Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === `${web}/${entry}`) ?? []
    return {
      file: `/console/assets/${path.basename(file)}`,
      css: `/console/assets/${path.basename(cssBundle)}`,
      parts: imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path),
    }
  }
  const main = named('main.tsx')
  // The browser loads the imports of the script at once, instead of after it has read the script.
  const parts = main.parts
    .map(part => `\n    <link rel="modulepreload" href="/console/assets/${path.basename(part)}">`)
    .join('')
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Tidemark</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="frame-style" content="${named('frame.css').file}">
    <meta name="graph-layout" content="${named('graph/layout-worker.ts').file}">
    <meta name="graph-paint" content="${named('graph/paint-worker.ts').file}">
    <link rel="icon" href="data:,">${parts}
    <link rel="stylesheet" href="${main.css}">
    <script type="module" src="${main.file}"></script>
  </head>
  <body>
    <div id="console"></div>
    <noscript>The console needs JavaScript. The API works without it: see <a href="/docs">the reference</a>.</noscript>
  </body>
</html>
`
}

if (import.meta.main) process.stdout.write(`${await buildConsole()}\n`)
