/** What is told of a page's content: the same parts in stored pages, scans and bulk scans. */
import { type Static, Type } from 'typebox'
import { orNull } from '../primitives.ts'

const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })
const Texts = Type.Array(Text)
const TextsByName = Type.Record(Text, Texts)
const TextByName = Type.Record(Text, Text)

export const Signals = Type.Object(
  {
    title: orNull(Text),
    description: orNull(Text),
    canonical: orNull(Text),
    lang: orNull(Text),
    h1: Texts,
    h2: Texts,
    h3: Texts,
    robots_meta: Texts,
    jsonld_types: Texts,
    hreflang: TextByName,
    ai_directives: Type.Object({
      noai: Type.Boolean(),
      noimageai: Type.Boolean(),
      meta: TextsByName,
      x_robots_tag: TextsByName,
      content_signals: TextByName,
      content_usage: TextByName,
      tdm_reservation: orNull(Type.Boolean()),
      tdm_policy: orNull(Text),
    }),
    word_count: Count,
    char_count: Count,
    links: Type.Object({ internal: Count, external: Count, nofollow: Count, total: Count }),
  },
  { $id: 'Signals' },
)
export type Signals = Static<typeof Signals>

export const Anchor = Type.Object({
  to: Type.String({ description: 'Absolute, in normal form.' }),
  anchor: Text,
  rel: orNull(Text),
  nofollow: Type.Boolean(),
})
export type Anchor = Static<typeof Anchor>

/** Every part that may be asked for; what was not is not there. */
export const contentParts = {
  html: Type.String({ description: 'As it was served, decoded.' }),
  markdown: Type.String({ description: 'CommonMark with tables; links are kept and absolute.' }),
  article_text: Type.String({ description: 'The main text, paragraphs parted by an empty line.' }),
  article_html: Type.String({ description: 'The same in clean HTML.' }),
  signals: Signals,
  anchors: Type.Array(Anchor),
  extracted: Type.Record(Text, Type.Union([orNull(Text), Texts])),
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
)
export type AiBotPolicies = Static<typeof AiBotPolicies>
