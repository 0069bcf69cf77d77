/** `max_cost_usd`: rejects a budget that pays for no page. */
import { dollarsOf, type MicroDollars, microDollarsOf, pricesOfPage } from '@tidemark/contracts/prices'
import { refusal } from '../../http/domain/refusal.ts'
import type { FieldRule } from './field-rule.ts'

export const budget: FieldRule = request => {
  const { max_cost_usd: max, render } = request
  const price = firstPrice(render)
  if (max !== undefined && microDollarsOf(max) < price) throw tooSmall(max, price, render)
  return request
}

/** Returns the amount that the first page reserves. A page that may be rendered reserves the price of a rendered one. */
export function firstPrice(render: 'none' | 'auto' | 'always'): MicroDollars {
  const { plain, rendered } = pricesOfPage()
  return render === 'none' ? plain : Math.max(plain, rendered)
}

function tooSmall(max: number, price: MicroDollars, render: string) {
  const page = render === 'none' ? 'a page costs' : `with render ${render} a page may cost`
  const message = `max_cost_usd must be at least ${dollarsOf(price)}, because ${page} ${dollarsOf(price)} US dollars; ${max} was sent. Send at least ${dollarsOf(price)}, or leave it out.`
  return refusal('max_cost_usd', 'out_of_range', message)
}
