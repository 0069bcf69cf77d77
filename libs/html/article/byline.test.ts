/** Authors are found in the markup of publishing systems, and labels are not taken for names. */
import { test } from 'tap'
import { articleOf, paragraphs } from './article.examples.ts'

type Case = { body?: string; head?: string; after?: string; name: string | null; because: string }

const bylineOf = ({ head = '', body = '', after = '' }: Case) =>
  articleOf(
    `<html lang=en><head>${head}</head><body><main><article><h1>Moss instead of grass</h1>
    ${body}${paragraphs(4)}${after}</article></main></body></html>`,
  ).byline

const cases: Record<string, Case[]> = {
  'Names and other words': [
    {
      body: '<p>By April Moss</p>',
      name: 'April Moss',
      because: 'a month can be a given name',
    },
    {
      body: '<p>By Ada Moss April 5, 2020</p>',
      name: 'Ada Moss',
      because: 'a month after a name is part of a date',
    },
  ],
}

for (const [title, list] of Object.entries(cases)) {
  test(title, async t => {
    for (const one of list) t.equal(bylineOf(one), one.name, one.because)
  })
}
