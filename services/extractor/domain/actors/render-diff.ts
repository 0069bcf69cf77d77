/** The pure part of the actor `render-diff`: the parts of a rendered page that the served document lacks. */
import {
  maxSamples,
  type RenderDiffResult,
  type RenderDiffSide,
} from '@tidemark/contracts/http/actors/render-diff'
import type { ComparedPage } from './compared-page.ts'
import { maxWords, measureUnknown } from './known-words.ts'

/** One reading of the page. */
export type Side = { page: ComparedPage; url: string; status: number }

export type Compared = { data: RenderDiffResult; warnings: string[] }

/** Percentages. From `partialFrom` on, the dependency is partial. Above `severeAbove`, it is severe. */
const partialFrom = 5
const severeAbove = 40

/** @param costUsd price of the browser */
export function renderDiffOf(before: Side, after: Side, costUsd: number): Compared {
  const [served, made] = [before.page, after.page]
  const text = measureUnknown(made.blocks.shown, [served.blocks.shown, served.blocks.hidden])
  const blind = text.chars === 0 ? 0 : Math.round((text.unknown / text.chars) * 1000) / 10
  const links = missing(made.targets, served.targets)
  const headings = missing(made.headings.shown, [...served.headings.shown, ...served.headings.hidden])
  const known = new Set(served.jsonLd.map(({ key }) => key))
  const jsonLd = [...new Map(made.jsonLd.map(item => [item.key, item])).values()].filter(
    ({ key }) => !known.has(key),
  )
  const data: RenderDiffResult = {
    static: sideOf(before),
    rendered: sideOf(after),
    delta: {
      links_only_after_render: links.slice(0, maxSamples),
      headings_only_after_render: headings.slice(0, maxSamples),
      json_ld_only_after_render: jsonLd.slice(0, maxSamples).map(({ type }) => type),
      counts_only_after_render: { links: links.length, headings: headings.length, json_ld: jsonLd.length },
      text_chars_only_after_render: text.unknown,
      ai_bot_blind_pct: blind,
      assessment: blind < partialFrom ? 'none' : blind > severeAbove ? 'severe' : 'partial',
    },
    rendered_cost_usd: costUsd,
  }
  return { data, warnings: text.isCut ? [`only the first ${maxWords} words were compared`] : [] }
}

/** Returns the distinct texts that are not known. */
function missing(texts: readonly string[], known: readonly string[]): string[] {
  return [...new Set(texts).difference(new Set(known))]
}

const sideOf = ({ page, url, status }: Side): RenderDiffSide => ({
  word_count: page.words,
  link_count: page.links,
  heading_count: page.headings.shown.length,
  json_ld_count: page.jsonLd.length,
  html_bytes: page.bytes,
  text_chars: page.letters,
  final_url: url,
  status_code: status,
})
