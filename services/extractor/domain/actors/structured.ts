/** The pure part of the actor `structured-data`: all six syntaxes of one page. */
import type { StructuredDataFound } from '@tidemark/contracts/http/actor-structured-data'
import { readStructured } from '@tidemark/html/structured/read-structured'
import { parseTree } from '@tidemark/html/tree/parse-tree'
import type { SeenPage } from './seen-page.ts'

/** Of what is no HTML there is nothing. */
export const structuredOf = ({ page, html }: SeenPage): StructuredDataFound =>
  readStructured(html?.tree ?? parseTree(''), { url: page.url })
