import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { causes } from '@tidemark/contracts/health'
import { test } from 'tap'

test('Every cause that a probe can name', async t => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8')
  const rows = text.split('\n').filter(line => line.startsWith('| `'))
  for (const cause of Object.keys(causes))
    t.ok(
      rows.some(row => row.split('|')[1]?.includes(`\`${cause}\``)),
      `${cause} has its row in docs/operating.md, with what to do`,
    )
})
