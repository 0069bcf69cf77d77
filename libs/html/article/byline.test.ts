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
    {
      body: '<p>Text Size</p><p>By Ada Moss</p>',
      name: 'Ada Moss',
      because: 'the word "text" introduces a name only before a colon or "by"',
    },
    {
      body: '<p>Text: Ada Moss</p>',
      name: 'Ada Moss',
      because: 'as it does here',
    },
    {
      body: '<p>Auteur(s) :</p><p>Les Jardiniers du Jardin de Radio France</p>',
      name: 'Les Jardiniers du Jardin de Radio France',
      because: 'a label may leave the number open, and a group may have a long name',
    },
    {
      body: '<p>Ada</p><p>Last Modified May 3, 2020</p><p>May 3, 2020</p>',
      name: null,
      because: 'the label of a date is not a name',
    },
  ],
  'Marked elements': [
    {
      body: '<div class="author-photo"></div><p class="authorName">Ada Moss</p>',
      name: 'Ada Moss',
      because: 'class names may be in camel case',
    },
    {
      body: '<div class="blog__authorname">Ada Moss</div>',
      name: 'Ada Moss',
      because: 'or without a separator',
    },
  ],
}

for (const [title, list] of Object.entries(cases)) {
  test(title, async t => {
    for (const one of list) t.equal(bylineOf(one), one.name, one.because)
  })
}
