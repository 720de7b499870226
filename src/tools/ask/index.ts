export * from './ask-user.ts';
