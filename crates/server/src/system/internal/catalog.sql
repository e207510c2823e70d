-- names

