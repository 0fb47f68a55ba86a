import {
  contactNotFound,
  tooManyTopics,
  topicChoices,
  topicKeyTaken,
  topicNotFound,
  topics,
} from '@posthorn/contracts';
import { create, get, list, patch, put, routes } from '../routes/calls.js';

export const topicRoutes = routes(
  'topics',
  { read: 'topics:read', write: 'topics:write', missing: topicNotFound },
  {
    create: create('topics', topics.create, 'Create a topic', { errors: [topicKeyTaken, tooManyTopics] }),
    list: list('topics', topics.list, 'List topics, newest first'),
    get: get('topics/:id', topics.get, 'Get a topic'),
    update: patch('topics/:id', topics.update, 'Update a topic; its key is fixed, and archiving hides it', {
      errors: [tooManyTopics],
    }),
  },
);

export const contactTopicRoutes = routes(
  'contactTopics',
  { read: 'contacts:read', write: 'contacts:write', missing: contactNotFound },
  {
    list: get('contacts/:id/topics', topicChoices.list, 'Get what a contact chose of each topic'),
    put: put('contacts/:id/topics', topicChoices.put, 'Opt a contact in to topics, or out of them'),
  },
);
