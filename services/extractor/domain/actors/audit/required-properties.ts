/** Properties that search engines require for rich results, by type, as documented in November 2026. */

/**
 * `needs` are in the syntax of `isMet`. `isPart`: such an item usually belongs to another item. If the other item
 * refers to it, it need not name its subject.
 */
export type Requirement = { types: string[]; needs: string[]; page: string; isPart?: boolean }

export const requirements: Readonly<Record<string, Requirement>> = {
  product: {
    types: ['Product'],
    needs: ['name', 'offers|review|aggregateRating'],
    page: 'product-snippet',
  },
  breadcrumb: {
    types: ['BreadcrumbList'],
    needs: [
      'itemListElement',
      'itemListElement.position',
      'itemListElement.(name|item.name)',
      'itemListElement[:-1].item',
    ],
    page: 'breadcrumb',
  },
  'faq-page': {
    types: ['FAQPage'],
    needs: ['mainEntity', 'mainEntity.name', 'mainEntity.acceptedAnswer', 'mainEntity.acceptedAnswer.text'],
    page: 'faqpage',
  },
  'qa-page': {
    types: ['QAPage'],
    needs: ['mainEntity', 'mainEntity.(name|text)', 'mainEntity.answerCount'],
    page: 'qapage',
  },
  event: {
    types: 'Event BusinessEvent MusicEvent SportsEvent TheaterEvent Festival EducationEvent'.split(' '),
    needs: ['name', 'startDate', 'location'],
    page: 'event',
  },
  recipe: { types: ['Recipe'], needs: ['name', 'image'], page: 'recipe' },
  'job-posting': {
    types: ['JobPosting'],
    needs: [
      'title',
      'description',
      'datePosted',
      'hiringOrganization',
      'jobLocation|applicantLocationRequirements',
    ],
    page: 'job-posting',
  },
  'local-business': {
    types: 'LocalBusiness Restaurant Store Hotel Dentist Bakery CafeOrCoffeeShop MedicalClinic'.split(' '),
    needs: ['name', 'address'],
    page: 'local-business',
  },
  review: {
    types: ['Review', 'CriticReview', 'UserReview'],
    needs: ['author', 'itemReviewed', 'reviewRating', 'reviewRating.ratingValue'],
    page: 'review-snippet',
    isPart: true,
  },
  'aggregate-rating': {
    types: ['AggregateRating'],
    needs: ['itemReviewed', 'ratingValue', 'ratingCount|reviewCount'],
    page: 'review-snippet',
    isPart: true,
  },
  video: { types: ['VideoObject'], needs: ['name', 'thumbnailUrl', 'uploadDate'], page: 'video' },
  'software-application': {
    types: ['SoftwareApplication', 'MobileApplication', 'WebApplication', 'VideoGame'],
    needs: ['name', 'offers', 'aggregateRating|review'],
    page: 'software-app',
  },
  course: { types: ['Course'], needs: ['name', 'description'], page: 'course' },
  dataset: { types: ['Dataset'], needs: ['name', 'description'], page: 'dataset' },
  movie: { types: ['Movie'], needs: ['name', 'image'], page: 'movie' },
  'profile-page': {
    types: ['ProfilePage'],
    needs: ['mainEntity', 'mainEntity.(name|alternateName)'],
    page: 'profile-page',
  },
  'discussion-posting': {
    types: ['DiscussionForumPosting'],
    needs: ['author', 'datePublished', 'text|image|video|headline'],
    page: 'discussion-forum',
  },
}

/** Recommended properties: search engines show items without them too. */
export const recommendations: Readonly<Record<string, Requirement>> = {
  article: {
    types: ['Article', 'NewsArticle', 'BlogPosting'],
    needs: ['headline', 'image', 'datePublished', 'author', 'author.name'],
    page: 'article',
  },
  organization: {
    types: ['Organization', 'Corporation', 'OnlineBusiness', 'OnlineStore'],
    needs: ['name', 'url'],
    page: 'organization',
  },
}
