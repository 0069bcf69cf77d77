import { test } from 'tap'
import { TapReport } from './tap-report.ts'

function report(tap: string) {
  const lines: string[] = []
  const reader = new TapReport(line => lines.push(line))
  for (const line of tap.split('\n')) reader.read(line)
  return { lines, tally: reader.tally, failedFiles: reader.failedFiles, assertions: reader.assertions }
}

test('The report of all tests', async t => {
  t.test('counts the innermost tests, and reports a passed file in one line', async t => {
    const { lines, tally, assertions } = report(`TAP version 14
1..1
# Subtest: a.test.ts
    # Subtest: outer \\# hash
        # Subtest: one
            ok 1 - assertion
            1..1
        ok 1 - one # time=1ms
        # Subtest: two
            ok 1 - assertion
            ok 2 - another
            1..2
        ok 2 - two # time=1ms
        ok 3 - a bare assertion
        1..3
    ok 1 - outer \\# hash # time=3ms
    1..1
ok 1 - a.test.ts # time=12ms
# { total: 4, pass: 4 }`)
    t.strictSame(tally, { passed: 2, failed: 0, skipped: 0 })
    t.equal(assertions, 4)
    t.strictSame(lines, ['ok     a.test.ts (12ms)'])
  })

  t.test('reports each failed assertion in full, and counts its test once', async t => {
    const { lines, tally } = report(`# Subtest: b.test.ts
    # Subtest: outer
        # Subtest: bad
            not ok 1 - two is three
              ---
              diff: |
                -3
                +2
              ...
            not ok 2 - and again
            1..2
        not ok 1 - bad # time=1ms
          ---
          at: somewhere
          ...
        # Subtest: good
            1..0
        ok 2 - good
        1..2
    not ok 1 - outer
      ---
      at: somewhere
      ...
    1..1
not ok 1 - b.test.ts # time=5ms
  ---
  exitCode: 1
  ...`)
    t.strictSame(tally, { passed: 1, failed: 1, skipped: 0 })
    t.strictSame(lines, [
      'not ok b.test.ts (5ms)',
      '  not ok: outer > bad > two is three',
      '              diff: |',
      '                -3',
      '                +2',
      '              ...',
      '  not ok: outer > bad > and again',
    ])
  })

  t.test('counts a file that died or timed out, with what is known of it', async t => {
    const { lines, tally, failedFiles } = report(`# Subtest: c.test.ts
    # Subtest: fine
        ok 1 - yes
        1..1
    ok 1 - fine
    1..1
not ok 1 - c.test.ts # time=9ms
  ---
  signal: SIGKILL
  ...`)
    t.strictSame(tally, { passed: 1, failed: 1, skipped: 0 })
    t.strictSame(lines, ['not ok c.test.ts (9ms)', '  not ok: c.test.ts', '  signal: SIGKILL', '  ...'])
    t.strictSame(failedFiles, [
      { file: 'c.test.ts', tally, lines: ['  not ok: c.test.ts', '  signal: SIGKILL', '  ...'] },
    ])
  })

  t.test('gives the reason of what was skipped, and repeats what tests print', async t => {
    const { lines, tally } = report(`# Subtest: d.test.ts
    # Subtest: outer
        ok 1 - browser # SKIP no browser here
        1..1
    ok 1 - outer # time=1ms
    printed by a test
    1..1
ok 1 - d.test.ts # time=2ms`)
    t.strictSame(tally, { passed: 1, failed: 0, skipped: 1 })
    t.strictSame(lines, [
      'ok     d.test.ts (2ms)',
      '  skipped: outer > browser (no browser here)',
      '    printed by a test',
    ])
  })
})
