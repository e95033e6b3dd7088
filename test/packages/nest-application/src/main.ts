import { AppModule, start } from './application.js';

void start(AppModule);
