/** `POST /v1/actors/render-diff`: the content of a page that only its scripts create. */
import { type Static, Type } from 'typebox'
import { count, oneOf } from '../../primitives.ts'
import { Url } from '../cloud/page.ts'
import { actorAnswer } from './actor.ts'

export const RenderDiffRequest = Type.Object({ url: Url }, { $id: 'RenderDiffRequest' })

const RenderDiffSide = Type.Object(
  {
    word_count: count('Words of its text, as the signals of a scan count them.'),
    link_count: count('Links to other pages, duplicates included.'),
    heading_count: count('Headings of all six levels that are shown and have text.'),
    json_ld_count: count('Number of JSON-LD objects.'),
    html_bytes: count('Bytes of the document, uncompressed.'),
    text_chars: count('Number of letters and digits of its visible text.'),
    final_url: Type.String({ description: 'URL of the page, after all redirects.' }),
    status_code: Type.Integer({ description: 'HTTP status of the response.' }),
  },
  {
    $id: 'RenderDiffSide',
    description: 'One version of the page. `static`: as served; `rendered`: after its scripts have run.',
  },
)
export type RenderDiffSide = Static<typeof RenderDiffSide>

/** Maximum length of each list of samples. */
export const maxSamples = 25

const samples = (description: string) =>
  Type.Array(Type.String(), {
    maxItems: maxSamples,
    description: `${description} The first ${maxSamples}.`,
  })

const RenderDelta = Type.Object(
  {
    links_only_after_render: samples('Targets of links that only scripts add.'),
    headings_only_after_render: samples('Texts of headings that only scripts add.'),
    json_ld_only_after_render: samples(
      'Types of JSON-LD objects that only scripts add, such as Product; (none): an object without a type.',
    ),
    counts_only_after_render: Type.Object(
      {
        links: count('Number of distinct targets.'),
        headings: count('Number of distinct texts.'),
        json_ld: count('Number of distinct objects.'),
      },
      { description: 'Number of each, including those not listed.' },
    ),
    text_chars_only_after_render: count(
      'Number of letters and digits of rendered words that the static text lacks. It has a word if the word has the same neighbours there: two of them in a row or, in a block of fewer than three words, the whole block. Text that only moved or is repeated is therefore not counted, nor is text that the static page contains but hides.',
    ),
    ai_bot_blind_pct: Type.Number({
      minimum: 0,
      maximum: 100,
      description:
        'text_chars_only_after_render in percent of text_chars of the rendered page, to a tenth: the share that is invisible to bots that run no scripts. 0 if it has no text.',
    }),
    assessment: oneOf(['none', 'partial', 'severe'], {
      description: 'none: less than 5 % blind; partial: 5 to 40 %; severe: more.',
    }),
  },
  { description: 'The parts of the rendered page that the static page lacks.' },
)

export const RenderDiffResult = Type.Object({
  static: RenderDiffSide,
  rendered: RenderDiffSide,
  delta: RenderDelta,
  rendered_cost_usd: Type.Number({
    minimum: 0,
    description: 'Cost of the browser in US dollars; 0: a browser of this installation.',
  }),
})
export type RenderDiffResult = Static<typeof RenderDiffResult>

export const RenderDiffAnswer = actorAnswer('render-diff', RenderDiffResult, 'RenderDiffAnswer')
