/** `login` of a crawl: the steps of a form in a browser, and the signs of having been logged out. */
import { type Static, Type } from 'typebox'
import { maxPageActions, PageAction } from './cloud/page-action.ts'

const LoggedOutSigns = Type.Object(
  {
    selector: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description:
          'A CSS selector of an element that only logged-out visitors see, such as the login form.',
        examples: ['form#login'],
      }),
    ),
    redirect: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 8192,
        description:
          'The address to which logged-out visitors are redirected, absolute or relative to url. Its query does not count.',
        examples: ['/login'],
      }),
    ),
    status: Type.Optional(
      Type.Integer({
        minimum: 400,
        maximum: 599,
        description: 'The status that logged-out visitors get.',
        examples: [401],
      }),
    ),
  },
  {
    $id: 'LoggedOutSigns',
    description:
      'The signs of having been logged out, at least one. The first page with a sign ends the crawl.',
  },
)

export const CrawlLogin = Type.Object(
  {
    steps: Type.Array(PageAction, {
      writeOnly: true,
      minItems: 1,
      maxItems: maxPageActions,
      description:
        'The steps in the browser: goto, fill, click, press and wait_for. The last one is a wait_for with a selector that only logged-in visitors see. Values are encrypted, and no response contains them.',
    }),
    logged_out: LoggedOutSigns,
  },
  {
    $id: 'CrawlLogin',
    // A login that is not an object may contain a password, so no error repeats it.
    writeOnly: true,
    description:
      'Logs in with a browser before the first page. The cookies are kept encrypted until the crawl ends, and sent only to hosts of the crawl. If the login fails, the crawl fails with error_reason login_failed; if it is lost later, with logged_out. Not with a proxy.',
  },
)
export type CrawlLogin = Static<typeof CrawlLogin>
