/** The diff of one page between two crawls: by line, and by word within changed lines. */
import { type Static, Type } from 'typebox'
import { described, Id, oneOf } from '../primitives.ts'
import { ModelUse } from './extraction.ts'
import { warnings } from './lists.ts'

export const DiffMode = oneOf(['text', 'markdown'])
export type DiffMode = Static<typeof DiffMode>

export const PageDiffQuery = Type.Object({
  url: Type.String({
    maxLength: 8192,
    description: 'The URL of the page, in any spelling.',
    examples: ['https://example.com/pricing'],
  }),
  mode: Type.Optional(
    oneOf(['text', 'markdown'], {
      default: 'markdown',
      description: 'The form of the page to compare.',
    }),
  ),
  in_words: Type.Optional(
    oneOf(['true', 'false'], {
      default: 'false',
      description:
        'Add the change in words, by the language model of this installation. Requires the consent of the project (`PUT /v1/model-consent`). Without it, or without a model, `in_words` is null and a warning has the reason.',
    }),
  ),
})
export type PageDiffQuery = Static<typeof PageDiffQuery>

const Change = oneOf(['same', 'added', 'removed'])

export const DiffWords = Type.Object(
  {
    change: described(Change, 'Whether only one of the two lines has these words.'),
    text: Type.String({ description: 'The words, with the white space between them.' }),
  },
  { $id: 'DiffWords' },
)
export type DiffWords = Static<typeof DiffWords>

export const DiffLine = Type.Object(
  {
    change: described(Change, 'Whether only one of the two pages has the line.'),
    old_line: Type.Optional(Type.Integer({ description: 'Line number in the older page, counted from 1.' })),
    new_line: Type.Optional(Type.Integer({ description: 'Line number in the newer page, counted from 1.' })),
    text: Type.String({ description: 'The line without its line ending.' }),
    words: Type.Optional(
      Type.Array(DiffWords, {
        description: 'For a line that replaces another: the words that are equal and those that differ.',
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
      same: Type.Integer({ description: 'Lines that both pages have.' }),
      changed_words: Type.Integer({
        description:
          'Words that only one of the pages has: of the page with more of them, so a replaced word counts once. Words that only move do not count.',
      }),
    },
    { description: 'Number of lines of each kind, and of changed words.' },
  ),
  lines: Type.Array(DiffLine, {
    description: 'Changed lines with three lines of context, in document order.',
  }),
  truncated: Type.Boolean({
    description: 'Whether something was left out of a long text or of many changes.',
  }),
})
export type TextDifference = Static<typeof TextDifference>

const changed = oneOf(['added', 'removed'])

export const ChangedLine = Type.Object(
  {
    change: described(changed, 'Whether the newer page has the line, or only the older one.'),
    text: Type.String({
      description: 'The line as the page has it, or a part of a line of more than 200 characters.',
    }),
  },
  { $id: 'ChangedLine' },
)
export type ChangedLine = Static<typeof ChangedLine>

export const DiffInWords = Type.Object(
  {
    text: Type.String({
      maxLength: 600,
      description: 'The change in at most three sentences. Every number in it is in the changed lines.',
    }),
    quotes: Type.Array(ChangedLine, {
      maxItems: 10,
      description: 'The changed lines that the text is about; at least one.',
    }),
  },
  { $id: 'DiffInWords' },
)

export const PageDiff = Type.Object(
  {
    old_run_id: described(Id, 'The older crawl.'),
    new_run_id: described(Id, 'The newer crawl.'),
    url: Type.String({ description: 'URL of the page, after redirects.' }),
    old_page_id: described(Id, 'The page in the older crawl.'),
    new_page_id: described(Id, 'The page in the newer crawl.'),
    mode: described(DiffMode, 'The form of the page that was compared.'),
    ...TextDifference.properties,
    in_words: Type.Optional(
      Type.Union([DiffInWords, Type.Null()], {
        description:
          'The change in words, if requested. Null: nothing has changed, or a warning has the reason: not_configured, no_consent, model_calls, model_failed or not_quoted.',
      }),
    ),
    model: Type.Optional(ModelUse),
    warnings,
  },
  { $id: 'PageDiff' },
)
export type PageDiff = Static<typeof PageDiff>
