import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { configuration, file } from './configuration.ts'

test('docs/configuration.md says what the settings say: node test/configuration.ts writes it anew', async t => {
  t.equal(readFileSync(file, 'utf8'), await configuration())
})

test('Every setting is described', async t => {
  for (const line of (await configuration()).split('\n')) t.notMatch(line, /\| +\|$/)
})
