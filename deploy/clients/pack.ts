/**
 * `npm run clients -- FOLDER` writes the packages of the TypeScript client and of the command line into a folder,
 * as `npm pack` files. They hold plain JavaScript with types and source maps, and need no other package.
 */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

type Manifest = Record<string, unknown> & { name: string; version: string }
type Built = { entry: string; file: string; fields: object }

/** One file of JavaScript for each package. */
const packages: Record<string, Built> = {
  typescript: {
    entry: 'tidemark.ts',
    file: 'tidemark.js',
    fields: {
      types: './tidemark.d.ts',
      exports: { '.': { types: './tidemark.d.ts', default: './tidemark.js' } },
      sideEffects: false,
    },
  },
  cli: { entry: 'main.ts', file: 'tidemark.js', fields: { bin: { tidemark: './tidemark.js' } } },
}

/** Returns the paths of the packed files, by the folder of the client. */
export async function packClients(to: string): Promise<Record<string, string>> {
  await mkdir(to, { recursive: true })
  const packed = Object.entries(packages).map(async ([name, built]) => [name, await pack(name, built, to)])
  return Object.fromEntries(await Promise.all(packed))
}

async function pack(name: string, { entry, file, fields }: Built, to: string): Promise<string> {
  const from = join(root, 'clients', name)
  const folder = await mkdtemp(join(tmpdir(), `tidemark-${name}-`))
  try {
    await build({
      entryPoints: [join(from, entry)],
      outfile: join(folder, file),
      bundle: true,
      format: 'esm',
      target: 'es2022',
      platform: name === 'cli' ? 'node' : 'neutral',
      sourcemap: true,
      absWorkingDir: root,
      logLevel: 'error',
    })
    if (name === 'typescript') await declare(from, folder)
    await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'))
    await cp(join(from, 'README.md'), join(folder, 'README.md'))
    await writeFile(join(folder, 'package.json'), JSON.stringify(await manifestOf(from, fields), null, 2))
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', to], { cwd: folder })
    return join(to, JSON.parse(stdout)[0].filename)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The manifest of the repository, which names the sources, with the fields that name the built files. */
async function manifestOf(from: string, fields: object): Promise<Manifest> {
  const {
    private: _,
    devDependencies,
    exports,
    ...rest
  } = JSON.parse(await readFile(join(from, 'package.json'), 'utf8'))
  return { ...rest, ...fields }
}

async function declare(from: string, folder: string): Promise<void> {
  const tsc = join(root, 'node_modules/.bin/tsc')
  await run(tsc, ['-p', join(from, 'tsconfig.json'), '--outDir', folder], { cwd: root })
  for (const file of await readdir(folder, { recursive: true })) {
    if (!file.endsWith('.d.ts')) continue
    const text = await readFile(join(folder, file), 'utf8')
    await writeFile(join(folder, file), text.replaceAll(/(['"])(\.[^'"]+)\.ts\1/g, '$1$2.js$1'))
  }
}

if (import.meta.main) {
  const [to] = process.argv.slice(2)
  if (to === undefined) {
    process.stderr.write('Name the folder for the packages: npm run clients -- FOLDER\n')
    process.exit(2)
  }
  for (const file of Object.values(await packClients(to))) process.stdout.write(`${file}\n`)
}
