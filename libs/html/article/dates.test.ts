/** Dates are read in the forms of several languages, and impossible ones are not. */
import { test } from 'tap'
import { findDate, readDate } from './facts/written-date.ts'

test('Written dates', async t => {
  for (const [text, date] of [
    ['2026-11-21T10:00:00.000Z', '2026-11-21T10:00:00Z'],
    ['2026-11-21 10:00', '2026-11-21'],
    ['20261121', '2026-11-21'],
    ['1700000000', '2023-11-14'],
    ['Sat, 21 Nov 2026 10:00:00 GMT', '2026-11-21'],
    ['2026 Nov 21', '2026-11-21'],
    ['21.11.26', '2026-11-21'],
    ['1er août 2019', '2019-08-01'],
    ['12 października 2021', '2021-10-12'],
    ['2024년 3월 3일', '2024-03-03'],
    ['3 березня 2024', '2024-03-03'],
    ['3 Μαΐου 2024', '2024-05-03'],
    ['3 مارس 2024', '2024-03-03'],
    ['3 במרץ 2024', '2024-03-03'],
    ['3 मार्च 2024', '2024-03-03'],
    ['2026-02-30', null],
    ['in 1984', null],
    ['version 10.2.2020.1', '2020-02-10'],
    ['nothing', null],
  ] as const) {
    t.equal(readDate(text), date, text)
  }
  t.equal(findDate('It was on 3 May 2020, they say'), '2020-05-03', 'are found in a text')
})
