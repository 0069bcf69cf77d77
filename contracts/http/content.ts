/** What is told of a page's content: the same parts in stored pages, scans and bulk scans. */
import { type Static, Type } from 'typebox'
import { orNull, said } from '../primitives.ts'

const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })
const Texts = Type.Array(Text)
const TextsByName = Type.Record(Text, Texts)
const TextByName = Type.Record(Text, Text)

export const Signals = Type.Object(
  {
    title: orNull(said(Text, 'Of the title element; null without one.')),
    description: orNull(said(Text, 'Of the meta element; null without one.')),
    canonical: orNull(said(Text, 'The canonical link, absolute; null without one.')),
    lang: orNull(said(Text, 'Of the html element; null without one.')),
    h1: said(Texts, 'Headings of the first level, in their order.'),
    h2: said(Texts, 'Headings of the second level.'),
    h3: said(Texts, 'Headings of the third level.'),
    robots_meta: said(Texts, 'Directives of the robots meta elements.'),
    jsonld_types: said(Texts, 'Each @type of its JSON-LD.'),
    hreflang: said(TextByName, 'Addresses of other languages, by language.'),
    ai_directives: Type.Object(
      {
        noai: Type.Boolean({ description: 'Whether it says noai.' }),
        noimageai: Type.Boolean({ description: 'Whether it says noimageai.' }),
        meta: said(TextsByName, 'Directives of robots meta elements, by the bot they are for.'),
        x_robots_tag: said(TextsByName, 'Directives of X-Robots-Tag, by the bot they are for.'),
        content_signals: said(TextByName, 'Content-Signal of the answer: yes or no, by use.'),
        content_usage: said(TextByName, 'Content-Usage of the answer: y or n, by use.'),
        tdm_reservation: orNull(
          Type.Boolean({ description: 'Whether text and data mining is reserved; null: not said.' }),
        ),
        tdm_policy: orNull(said(Text, 'Where the terms for it are; null: not said.')),
      },
      { description: 'What the page itself tells AI bots.' },
    ),
    word_count: said(Count, 'Words of its visible text.'),
    char_count: said(Count, 'Characters of its visible text.'),
    links: Type.Object(
      {
        internal: said(Count, 'Links to its own site.'),
        external: said(Count, 'Links to other sites.'),
        nofollow: said(Count, 'Links of both kinds that say nofollow.'),
        total: said(Count, 'Links of both kinds.'),
      },
      { description: 'How many links it has.' },
    ),
  },
  { $id: 'Signals', description: 'What search engines and AI bots see of the page.' },
)
export type Signals = Static<typeof Signals>

export const Anchor = Type.Object({
  to: Type.String({ description: 'Absolute, in normal form.' }),
  anchor: said(Text, 'Its text; empty where it has none.'),
  rel: orNull(said(Text, 'Its rel attribute; null without one.')),
  nofollow: Type.Boolean({ description: 'Whether rel says nofollow.' }),
})
export type Anchor = Static<typeof Anchor>

/** Every part that may be asked for; what was not is not there. */
export const contentParts = {
  html: Type.String({ description: 'As it was served, decoded.' }),
  markdown: Type.String({ description: 'CommonMark with tables; links are kept and absolute.' }),
  article_text: Type.String({ description: 'The main text, paragraphs parted by an empty line.' }),
  article_html: Type.String({ description: 'The same in clean HTML.' }),
  signals: Signals,
  anchors: Type.Array(Anchor, { description: 'The links of the page, in their order.' }),
  extracted: Type.Record(Text, Type.Union([orNull(Text), Texts]), {
    description: 'What was found, by the names of `extract`; null, or an empty list, where nothing was.',
  }),
}

/** By the token of the bot. */
export const AiBotPolicies = Type.Record(
  Text,
  Type.Union([
    Type.Literal('allowed'),
    Type.Literal('disallowed'),
    Type.Literal('partial'),
    Type.Literal('unspecified'),
  ]),
  {
    description:
      'What robots.txt lets each bot do, by its name. unspecified: no rule is for it, which allows it everything.',
  },
)
export type AiBotPolicies = Static<typeof AiBotPolicies>
