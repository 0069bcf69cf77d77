/** `POST /v1/llms-txt-build`: a crawl, and what it found as an llms.txt (llmstxt.org). */
import { type Static, Type } from 'typebox'

export const LlmsTxtRequest = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 8192,
      description: 'The home page of the site, or of a part of it.',
      examples: ['https://example.com/'],
    }),
    max_pages: Type.Integer({ minimum: 1, maximum: 200, default: 30, description: 'Pages of the crawl.' }),
    site_name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The heading; without it what the site calls itself.',
      }),
    ),
    summary: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2000, description: 'What stands below the heading.' }),
    ),
    wait_seconds: Type.Integer({
      minimum: 1,
      maximum: 180,
      default: 60,
      description: 'For the end of the crawl; when it takes longer, 408 names the run, which goes on.',
    }),
  },
  { $id: 'LlmsTxtRequest' },
)
export type LlmsTxtRequest = Static<typeof LlmsTxtRequest>
