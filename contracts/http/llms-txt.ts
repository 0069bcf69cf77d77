/** `POST /v1/llms-txt-build`: a crawl whose pages become an llms.txt (llmstxt.org). */
import { type Static, Type } from 'typebox'
import { described, Id, oneOf, orNull } from '../primitives.ts'
import { warnings } from './lists.ts'

export const LlmsTxtRequest = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 8192,
      description: 'The home page of the site, or of a section of it.',
      examples: ['https://example.com/'],
    }),
    max_pages: Type.Integer({
      minimum: 1,
      maximum: 200,
      default: 30,
      description: 'Number of pages to crawl.',
    }),
    site_name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The heading. Default: the name that the site gives itself.',
      }),
    ),
    summary: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2000, description: 'The summary below the heading.' }),
    ),
    wait_seconds: Type.Integer({
      minimum: 0,
      maximum: 180,
      default: 60,
      description:
        'Maximum time to wait for the crawl. If it takes longer, the response is 408 with the id of the crawl, which continues.',
    }),
    format: oneOf(['llms_txt', 'llms_full_txt', 'json'], {
      default: 'llms_txt',
      description:
        'The response: llms_txt or llms_full_txt as text, or json with both texts and a report of the pages that were left out.',
    }),
    max_tokens: Type.Integer({
      minimum: 1_000,
      maximum: 500_000,
      default: 100_000,
      description:
        'Maximum number of tokens of llms-full.txt, estimated as one per four bytes of UTF-8. Optional pages are the first to be left out.',
    }),
  },
  { $id: 'LlmsTxtRequest' },
)
export type LlmsTxtRequest = Static<typeof LlmsTxtRequest>

const LeftOutReason = oneOf(
  [
    'login',
    'account',
    'search',
    'tags',
    'print',
    'pagination',
    'noindex',
    'duplicate',
    'http_error',
    'challenge',
    'not_html',
  ],
  { description: 'The reason as a stable code.' },
)
export type LeftOutReason = Static<typeof LeftOutReason>

const LeftOut = Type.Object({
  url: Type.String({ description: 'URL of the page, after redirects.' }),
  reason: LeftOutReason,
  sentence: Type.String({ description: 'The reason in words.' }),
})
export type LeftOut = Static<typeof LeftOut>

export const LlmsTxtBuild = Type.Object(
  {
    run_id: described(Id, 'The crawl that was started.'),
    llms_txt: Type.String({ description: 'The llms.txt.' }),
    llms_full_txt: Type.String({ description: 'The llms-full.txt: the main content of the listed pages.' }),
    report: Type.Object(
      {
        listed: Type.Integer({ description: 'Number of listed pages.' }),
        left_out: Type.Array(LeftOut, { description: 'Pages of the crawl that are not listed.' }),
        full: Type.Object(
          {
            tokens: Type.Integer({ description: 'Estimated tokens of llms_full_txt.' }),
            max_tokens: Type.Integer({ description: 'The limit.' }),
            pages: Type.Integer({ description: 'Number of pages with their content.' }),
            cut: orNull(
              Type.String({ description: 'The page whose content is cut at the limit; null: none.' }),
            ),
            missing: Type.Array(Type.String(), {
              description: 'Listed pages beyond the limit, or without readable content.',
            }),
          },
          { description: 'The extent of llms_full_txt.' },
        ),
      },
      { description: 'The extent of both texts.' },
    ),
    warnings,
  },
  { $id: 'LlmsTxtBuild' },
)
export type LlmsTxtBuild = Static<typeof LlmsTxtBuild>
