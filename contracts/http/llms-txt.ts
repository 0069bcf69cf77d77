/** `POST /v1/llms-txt-build`: a crawl whose pages become an llms.txt (llmstxt.org). */
import { type Static, Type } from 'typebox'

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
      minimum: 1,
      maximum: 180,
      default: 60,
      description:
        'Maximum time to wait for the crawl. If it takes longer, the response is 408 with the id of the crawl, which continues.',
    }),
  },
  { $id: 'LlmsTxtRequest' },
)
export type LlmsTxtRequest = Static<typeof LlmsTxtRequest>
