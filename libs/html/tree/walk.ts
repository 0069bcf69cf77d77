/** Walks a tree without recursion, in the order of the page. */
import { type ChildNode, type Element, isTag, type ParentNode, type Text } from 'domhandler'

export type Visitor = {
  /** Returns whether to visit the content of the element. If not, `leave` is not called either. */
  enter?: (element: Element) => boolean
  leave?: (element: Element) => void
  text?: (text: Text) => void
  /** Returns whether the walk ends before the next node. Then `leave` is not called for open elements. */
  ends?: () => boolean
}

/** Visits all nodes in `root`, not `root` itself. The tree must not change meanwhile. */
export function walk(
  root: ParentNode,
  { enter = always, leave = nothing, text = nothing, ends = never }: Visitor,
): void {
  let node: ChildNode | null = root.children[0] ?? null
  while (node !== null && !ends()) {
    let inside: ChildNode | undefined
    if (node.type === 'text') text(node)
    else if (isTag(node) && enter(node)) {
      inside = node.children[0]
      if (inside === undefined) leave(node)
    }
    node = inside ?? following(node, root, leave)
  }
}

const always = (): boolean => true
const never = (): boolean => false
const nothing = (): void => {}

/** Returns the next node that is not inside this one, and leaves the elements that end before it. */
function following(from: ChildNode, root: ParentNode, leave: (element: Element) => void): ChildNode | null {
  let node: ChildNode = from
  while (node.next === null) {
    const { parent }: ChildNode = node
    if (parent === null || parent === root || !isTag(parent)) return null
    leave(parent)
    node = parent
  }
  return node.next
}

/** Returns the node around all others. The depth of a tree is bounded. */
export function rootOf(node: ParentNode): ParentNode {
  let root = node
  while (root.parent !== null) root = root.parent
  return root
}
