/** All rules of the audit, in the order of findings with the same severity. Ids never change. */

import { addressRules } from './address.ts'
import { answerEngineRules } from './answer-engines.ts'
import { canonicalRules } from './canonical.ts'
import { contentRules } from './content.ts'
import { deliveryRules } from './delivery.ts'
import { documentRules } from './document.ts'
import { encodingRules } from './encoding.ts'
import { formRules } from './forms.ts'
import { headingRules } from './headings.ts'
import { hreflangRules } from './hreflang.ts'
import { imageRules } from './images.ts'
import { jsonLdRules } from './json-ld.ts'
import { languageRules } from './language.ts'
import { linkRules } from './links.ts'
import { mediaRules } from './media.ts'
import { metaDescriptionRules } from './meta-description.ts'
import { mixedContentRules } from './mixed-content.ts'
import { responseRules } from './response.ts'
import { richResultRules } from './rich-results.ts'
import { robotsRules } from './robots.ts'
import type { Rule } from './rule.ts'
import { securityRules } from './security.ts'
import { socialRules } from './social.ts'
import { structureRules } from './structure.ts'
import { titleRules } from './title.ts'
import { viewportRules } from './viewport.ts'
import { weightRules } from './weight.ts'

/** Areas of rules with their names in the documentation. */
export const areas: readonly (readonly [name: string, rules: readonly Rule[]])[] = [
  ['Response and redirects', responseRules],
  ['Directives for search engines', robotsRules],
  ['Canonical URL', canonicalRules],
  ['Title', titleRules],
  ['Meta description', metaDescriptionRules],
  ['Headings', headingRules],
  ['Text', contentRules],
  ['Images', imageRules],
  ['Links', linkRules],
  ['Versions in other languages', hreflangRules],
  ['JSON-LD', jsonLdRules],
  ['Rich results', richResultRules],
  ['Sharing', socialRules],
  ['Document', documentRules],
  ['Encoding', encodingRules],
  ['Language', languageRules],
  ['Small screens', viewportRules],
  ['Forms and controls', formRules],
  ['Structure', structureRules],
  ['Media', mediaRules],
  ['Address', addressRules],
  ['Delivery', deliveryRules],
  ['Weight', weightRules],
  ['Mixed content', mixedContentRules],
  ['Security', securityRules],
  ['Answer engines', answerEngineRules],
]

export const rules: readonly Rule[] = areas.flatMap(([, rules]) => rules)
