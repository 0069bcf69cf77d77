/** `render`: rejects proxies, because a browser connects to the site directly. `screenshots`: of rendered pages only. */

import { refusal } from '../../http/domain/refusal.ts'
import type { FieldRule } from './field-rule.ts'

export const rendering: FieldRule = request => {
  const proxy = (['proxy_url', 'proxy_pool'] as const).find(name => request[name] !== undefined)
  if (request.render !== 'none' && proxy !== undefined) {
    const message = `render cannot be combined with ${proxy}: browsers use no proxy. Leave one of them out.`
    throw refusal('render', 'conflicting_fields', message)
  }
  if (request.screenshots && request.render === 'none') throw notRendered
  return request
}

const notRendered = refusal(
  'screenshots',
  'conflicting_fields',
  'screenshots are taken of rendered pages: send render always or auto too, or leave screenshots out.',
)
