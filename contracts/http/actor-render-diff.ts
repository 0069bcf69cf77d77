/** `POST /v1/actors/render-diff`: what of a page only its scripts make, and so who runs no scripts never sees. */
import { type Static, Type } from 'typebox'
import { actorAnswer } from './actor.ts'
import { Url } from './cloud-page.ts'

export const RenderDiffRequest = Type.Object({ url: Url }, { $id: 'RenderDiffRequest' })
export type RenderDiffRequest = Static<typeof RenderDiffRequest>

const count = (description: string) => Type.Integer({ minimum: 0, description })

const RenderDiffSide = Type.Object(
  {
    word_count: count('Words of its text, as the signals of a scan count them.'),
    link_count: count('Links to other pages, each as often as it stands there.'),
    heading_count: count('Headings of all six levels that are shown and have text.'),
    json_ld_count: count('Objects of JSON-LD.'),
    html_bytes: count('Bytes of the document, unpacked.'),
    text_chars: count('Letters and digits of its visible text.'),
    final_url: Type.String({ description: 'Where it was found, behind all redirects.' }),
    status_code: Type.Integer({ description: 'HTTP status of the answer.' }),
  },
  {
    $id: 'RenderDiffSide',
    description:
      'One of the two: `static` is what the server sends, `rendered` what stands there when the scripts have run.',
  },
)
export type RenderDiffSide = Static<typeof RenderDiffSide>

/** Of each list of samples. */
export const mostSamples = 25

const samples = (description: string) =>
  Type.Array(Type.String(), {
    maxItems: mostSamples,
    description: `${description} The first ${mostSamples}.`,
  })

const RenderDelta = Type.Object(
  {
    links_only_after_render: samples('Where links lead that only scripts add.'),
    headings_only_after_render: samples('Texts of headings that only scripts add.'),
    json_ld_only_after_render: samples(
      'The types of objects of JSON-LD that only scripts add, such as Product; (none) of one that states no type.',
    ),
    counts_only_after_render: Type.Object(
      {
        links: count('Different targets.'),
        headings: count('Different texts.'),
        json_ld: count('Different objects.'),
      },
      { description: 'How many there are of each, samples or not.' },
    ),
    text_chars_only_after_render: count(
      'Letters and digits of rendered words that are not in the static text. A word is in it where it stands there among the same neighbours: with two of them in a row, or, in a block of fewer than three words, with all of the block. So text that only moved, or came twice, is not counted; text that the static page has but hides is known to who reads its source.',
    ),
    ai_bot_blind_pct: Type.Number({
      minimum: 0,
      maximum: 100,
      description:
        'text_chars_only_after_render in percent of text_chars of the rendered page, to a tenth: what bots that run no scripts do not see of it. 0 where it has no text.',
    }),
    assessment: Type.Union([Type.Literal('none'), Type.Literal('partial'), Type.Literal('severe')], {
      description: 'none: less than 5 % blind; partial: 5 to 40 %; severe: more.',
    }),
  },
  { description: 'What the rendered page has and the static one has not.' },
)

export const RenderDiffFound = Type.Object({
  static: RenderDiffSide,
  rendered: RenderDiffSide,
  delta: RenderDelta,
  rendered_cost_usd: Type.Number({
    minimum: 0,
    description: 'What the browser asked for it, in US dollars: 0 of one of this installation.',
  }),
})
export type RenderDiffFound = Static<typeof RenderDiffFound>

export const RenderDiffAnswer = actorAnswer('render-diff', RenderDiffFound, 'RenderDiffAnswer')
export type RenderDiffAnswer = Static<typeof RenderDiffAnswer>
