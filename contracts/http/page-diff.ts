/** How one page reads in two crawls: line by line, and in lines that changed word by word. */
import { type Static, Type } from 'typebox'
import { Id, said } from '../primitives.ts'
import { warnings } from './lists.ts'

export const DiffMode = Type.Union([Type.Literal('text'), Type.Literal('markdown')])
export type DiffMode = Static<typeof DiffMode>

export const PageDiffQuery = Type.Object({
  url: Type.String({
    maxLength: 8192,
    description: 'The address of the page, however it is spelled.',
    examples: ['https://example.com/pricing'],
  }),
  mode: Type.Optional(
    Type.Union([Type.Literal('text'), Type.Literal('markdown')], {
      default: 'markdown',
      description: 'Which form of the page is compared.',
    }),
  ),
})
export type PageDiffQuery = Static<typeof PageDiffQuery>

const Change = Type.Union([Type.Literal('same'), Type.Literal('added'), Type.Literal('removed')])

export const DiffWords = Type.Object(
  {
    change: said(Change, 'Whether only one of the two lines has it.'),
    text: Type.String({ description: 'The words, with the white space between them.' }),
  },
  { $id: 'DiffWords' },
)
export type DiffWords = Static<typeof DiffWords>

export const DiffLine = Type.Object(
  {
    change: said(Change, 'Whether only one of the two pages has it.'),
    old_line: Type.Optional(Type.Integer({ description: 'Its number in the older page, from 1.' })),
    new_line: Type.Optional(Type.Integer({ description: 'Its number in the newer page, from 1.' })),
    text: Type.String({ description: 'The line without its end.' }),
    words: Type.Optional(
      Type.Array(DiffWords, {
        description: 'Of a line that stands for another one: which words of it are the same.',
      }),
    ),
  },
  { $id: 'DiffLine' },
)
export type DiffLine = Static<typeof DiffLine>

export const TextDifference = Type.Object({
  summary: Type.Object(
    {
      added: Type.Integer({ description: 'Lines that only the newer page has.' }),
      removed: Type.Integer({ description: 'Lines that only the older page has.' }),
      same: Type.Integer({ description: 'Lines of both.' }),
    },
    { description: 'How many lines of each kind.' },
  ),
  lines: Type.Array(DiffLine, {
    description: 'Lines that changed with three around them, in the order of the page.',
  }),
  truncated: Type.Boolean({
    description: 'Whether something was left out: of a long text, or of many changes.',
  }),
})
export type TextDifference = Static<typeof TextDifference>

export const PageDiff = Type.Object(
  {
    old_run_id: said(Id, 'The older crawl.'),
    new_run_id: said(Id, 'The newer crawl.'),
    url: Type.String({ description: 'Where the page was found.' }),
    old_page_id: said(Id, 'The page in the older crawl.'),
    new_page_id: said(Id, 'The page in the newer crawl.'),
    mode: said(DiffMode, 'Which form of the page was compared.'),
    ...TextDifference.properties,
    warnings,
  },
  { $id: 'PageDiff' },
)
export type PageDiff = Static<typeof PageDiff>
