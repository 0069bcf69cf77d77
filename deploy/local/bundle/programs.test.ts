import fs from 'node:fs'
import path from 'node:path'
import { test } from 'tap'
import { bundleFolder, manifestIn } from './manifest.ts'
import { programFiles } from './programs.ts'

test('The bundle of a running instance', async t => {
  const root = t.testdir()
  const dir = path.join(bundleFolder(root), 'built-a')
  fs.mkdirSync(dir, { recursive: true })
  fs.writeFileSync(manifestIn(root), JSON.stringify({ dir, inputs: [] }))
  const dayBefore = Date.now() / 1000 - 2 * 86_400
  fs.utimesSync(dir, dayBefore, dayBefore)
  const { host, launcher } = await programFiles(root, true, t.fail)
  t.equal(host, path.join(dir, 'host.mjs'))
  t.equal(launcher, path.join(dir, 'launcher.mjs'))
  const age = Date.now() - fs.statSync(dir).mtimeMs
  t.ok(age < 3_600_000, 'is not old, so that the next build for another instance does not remove it')
})

test('The bundle of this project', async t => {
  const { host } = await programFiles(path.resolve(import.meta.dirname, '../../..'), true, t.fail)
  const files = fs.readdirSync(path.dirname(host)).filter(name => name.endsWith('.mjs'))
  t.ok(files.length > 100)
  const wide = files.filter(name =>
    /[^\0-\x7f]/.test(fs.readFileSync(path.join(path.dirname(host), name), 'utf8')),
  )
  t.strictSame(wide, [], 'needs one byte for a character')
})
