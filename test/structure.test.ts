import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { isProduction, type Source } from './architecture.ts'
import { sourcePaths } from './source-paths.ts'
import {
  circles,
  crowdedFolders,
  foldable,
  importGraph,
  largeFolders,
  longFunctions,
  longOnes,
  ownFiles,
} from './structure.ts'

const root = join(import.meta.dirname, '..')
const sources = sourcePaths(root).map(
  (path): Source => ({ path, text: readFileSync(join(root, path), 'utf8') }),
)
const paths = sources.map(({ path }) => path)

test('A small file with one importer is part of that importer', async t => {
  t.strictSame(foldable(sources), [])
  for (const [pattern, reason] of ownFiles)
    t.ok(
      paths.some(path => pattern.test(path)),
      `a file stays on its own as ${reason}`,
    )
  const small = { path: 'libs/x/small.ts', text: 'export const small = 1\n' }
  const user = { path: 'libs/x/user.ts', text: "import { small } from './small.ts'\n" }
  const other = { path: 'libs/x/other.ts', text: "import { small } from '@tidemark/x/small'\n" }
  t.match(foldable([small, user]), [/^libs\/x\/small\.ts has 1 lines .* libs\/x\/user\.ts$/])
  t.strictSame(foldable([small, user, other]), [])
  t.strictSame(foldable([small, { ...user, path: 'libs/y/user.ts' }]), [], 'an entry of its package')
  t.strictSame(foldable([small, { ...user, path: 'libs/x/x.test.ts' }]), [], 'a subject of a test')
})

test('No folder has more than 30 files but tables of rules', async t => {
  t.strictSame(crowdedFolders(paths), [])
  const files = (folder: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${folder}/${n}.ts`)
  t.strictSame(crowdedFolders([...files('libs/x', 30), 'libs/x/x.test.ts']), [])
  t.strictSame(crowdedFolders(files('libs/x', 31)), ['libs/x has 31 files, more than 30'])
  for (const folder of largeFolders.keys())
    t.ok(paths.filter(path => path.startsWith(`${folder}/`)).length > 30, `${folder} needs its exception`)
})

test('No files import each other in a circle', async t => {
  t.strictSame(circles(importGraph(sources.filter(({ path }) => isProduction(path)))), [])
  const ring = ['a', 'b', 'c'].map((name, n) => ({
    path: `libs/x/${name}.ts`,
    text: `import type { X } from './${['b', 'c', 'a'][n]}.ts'\n`,
  }))
  const found = ['libs/x/a.ts, libs/x/b.ts, libs/x/c.ts import each other in a circle']
  t.strictSame(circles(importGraph(ring)), found)
  t.strictSame(circles(importGraph(ring.slice(1))), [])
})

test('No function has more than 60 lines but those listed with a reason', async t => {
  const found = sources.filter(({ path }) => isProduction(path)).flatMap(longFunctions)
  const unlisted = found.filter(({ name }) => !longOnes.has(name))
  t.strictSame(unlisted, [])
  for (const [name, reason] of longOnes)
    t.ok(
      found.some(long => long.name === name),
      `${name} needs its exception: ${reason}`,
    )
  const lines = (count: number) => Array.from({ length: count }, () => '  work()').join('\n')
  const text = (count: number) => `export async function long(): Promise<void> {\n${lines(count)}\n}\n`
  t.strictSame(longFunctions({ path: 'libs/x/a.ts', text: text(58) }), [])
  t.strictSame(longFunctions({ path: 'libs/x/a.ts', text: text(59) }), [
    { name: 'libs/x/a.ts long', lines: 61 },
  ])
})
