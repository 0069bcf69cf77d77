/** Chunks of Markdown for language models: the request, and the chunks. */
import { type Static, Type } from 'typebox'

const maxTokens = {
  minimum: 64,
  maximum: 8192,
  description: 'Maximum number of tokens of a chunk, counted with o200k_base.',
  examples: [512],
}
const overlap = {
  minimum: 0,
  maximum: 4096,
  description:
    'Maximum number of tokens that a chunk repeats from the one before in the same section. At most half of the maximum of a chunk. Default: 0.',
  examples: [64],
}

export const ChunkRequest = Type.Object(
  { max_tokens: Type.Integer(maxTokens), overlap: Type.Optional(Type.Integer(overlap)) },
  {
    $id: 'ChunkRequest',
    description: 'Splits the Markdown into chunks, which are added as `chunks`.',
  },
)
export type ChunkRequest = Static<typeof ChunkRequest>

/** The fields of `ChunkRequest` as parameters of a query. */
export const chunkQuery = {
  chunk_max_tokens: Type.Optional(
    Type.Integer({
      ...maxTokens,
      description: `Adds the Markdown as \`chunks\`. ${maxTokens.description}`,
    }),
  ),
  chunk_overlap: Type.Optional(Type.Integer(overlap)),
}

export const Chunk = Type.Object(
  {
    id: Type.String({
      description: 'Hash of the text and its headings: equal text under equal headings keeps its id.',
    }),
    text: Type.String({ description: 'The text, as in `markdown`.' }),
    start: Type.Integer({
      description: 'Offset of its first character in `markdown`, in UTF-16 code units.',
    }),
    end: Type.Integer({ description: 'Offset after its last character, in UTF-16 code units.' }),
    heading_path: Type.Array(Type.String(), {
      description: 'Texts of the headings above it, outermost first, each cut to 120 characters.',
    }),
    tokens: Type.Integer({ description: 'Number of tokens of the text.' }),
    is_part: Type.Boolean({
      description:
        'Whether it contains a part of a paragraph, table or code block that alone exceeds the maximum. Other blocks are never split.',
    }),
  },
  { $id: 'Chunk', description: 'A chunk of the Markdown.' },
)
export type Chunk = Static<typeof Chunk>
