/** Recognizes the products in a category of a shop, by the class names of WooCommerce and Magento. */
import type { Element } from 'domhandler'
import type { Choice } from '../chosen.ts'

const namesOfItems = new Set(['li', 'article', 'div'])
const item = /(?:^|\s)(?:product|product-item)(?:\s|$)/
/** The class of the body of a page about one product, which may list others beneath it. */
const pageOfProduct = /(?:^|\s)(?:single-product|catalog-product-view)(?:\s|$)/
const minProducts = 4
/** Maximum characters of the description of a category. Products beside longer texts are advertised. */
const maxDescription = 600

/** Returns whether the products of a category are outside of a short text, which is then only its description. */
export const losesProducts = ({ container, to, reading: { page, prose } }: Choice): boolean =>
  prose.of(container) <= maxDescription &&
  listsProducts(page.elements) &&
  !page.elements.slice(container, to).some(isProduct)

const isProduct = ({ name, attribs }: Element): boolean =>
  namesOfItems.has(name) && item.test(attribs.class ?? '')

const listsProducts = (elements: readonly Element[]): boolean =>
  elements.filter(isProduct).length >= minProducts &&
  !elements.some(({ name, attribs }) => name === 'body' && pageOfProduct.test(attribs.class ?? ''))
